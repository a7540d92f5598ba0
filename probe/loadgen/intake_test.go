package loadgen

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// anyStream draws a stream of one choice: bursts, chunks without text or
// tokens, tool calls, stamps that repeat or go back.
func anyStream(t *rapid.T) metrics.Stream {
	s := metrics.Stream{ID: 1, State: metrics.Decoding, Marks: metrics.NewMarks(), Usage: metrics.NoUsage(),
		LiveTokens: -1}
	s.Marks.Start, s.Marks.Sent = 0, 0
	read, at := int32(0), metrics.Stamp(50e6)
	for i := range rapid.IntRange(0, 120).Draw(t, "chunks") {
		if rapid.IntRange(0, 3).Draw(t, "burst") > 0 {
			read++
			at += metrics.Stamp(rapid.Int64Range(-2e6, 90e6).Draw(t, "gap"))
		}
		s.Text = append(s.Text, rapid.SampledFrom([]string{"", "", "a", " word", "世界"}).Draw(t, "text")...)
		s.Chunks = append(s.Chunks, metrics.Chunk{
			At: at, User: at, Read: read, Event: int32(i), TextEnd: int32(len(s.Text)),
			Tokens: rapid.SampledFrom([]int16{-1, 0, 1, 3}).Draw(t, "tokens"),
			Kind:   rapid.SampledFrom([]metrics.Kind{metrics.Content, metrics.Reasoning, metrics.ToolCall}).Draw(t, "kind"),
		})
	}
	s.Now = at
	return s
}

// The lane of a user counts the chunks and gaps of the stream's figures,
// however often it is updated, and the timeline what they are corrected to at the end,
// whatever a chunk without a count has counted meanwhile.
func TestLanesAndFiguresAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyStream(t)
		f := metrics.Measure(&s, metrics.Options{})
		w := newWindow(&Config{}, newTimeline(0, longWindow))
		w.restart(0)
		in := newIntake(0, &w)
		u := newUser(1, 0, 0)
		for part := s; u.lane.seen < len(s.Chunks); {
			part.Chunks = s.Chunks[:rapid.IntRange(u.lane.seen, len(s.Chunks)).Draw(t, "look")]
			in.ingest(u, &part, 0)
			w.timeline.perChunk = rapid.Float64Range(1, 5).Draw(t, "tokens per chunk")
		}
		in.finish(u, &s, &f)
		sum, provisional := w.timeline.sum(0, w.timeline.next), 0.0
		if f.Estimated() {
			provisional = in.received
		}
		testkit.Given(t, math.Abs(sum.tokens-in.received) <= 1e-6 && math.Abs(sum.provisional-provisional) <= 1e-6,
			"%v tokens, %v of them provisional, want %v and %v", sum.tokens, sum.provisional, in.received, provisional)
		testkit.Given(t, !f.AtOnce() || math.Abs(sum.laterTokens)+math.Abs(sum.laterMs) <= 1e-6,
			"%v tokens in %v ms of an answer without a pace", sum.laterTokens, sum.laterMs)
		// The window has the mean of all gaps and the bounds, as the figures have.
		window := w.gaps.last(longWindow).Dist(0)
		testkit.Given(t, in.chunks == f.Chunks && window.N == f.Gaps.N,
			"%d chunks and %d gaps; the figures have %d and %d", in.chunks, window.N, f.Chunks, f.Gaps.N)
		testkit.Given(t, f.Gaps.N <= 0 || window.Min == f.Gaps.Min && window.Max == f.Gaps.Max,
			"gaps %+v; the figures have %+v", window, f.Gaps)
		if f.Gaps.N > 0 && (math.Abs(window.Mean.V-f.Gaps.Mean.V) > 1e-9*math.Abs(f.Gaps.Mean.V) ||
			window.Missing.N != f.Gaps.Missing.N) {
			t.Fatalf("gaps of the window %+v; the figures have %+v", window, f.Gaps)
		}
		if ttft, ok := u.lane.ttft.V, u.lane.ttft.OK; ok != f.TTFT.OK || ok && math.Abs(ttft-f.TTFT.V) > 1e-9 {
			t.Fatalf("TTFT %+v; the figures have %+v", u.lane.ttft, f.TTFT)
		}
	})
}

// A point says how late this program was, by the stamps of its own window.
func TestPointSaysHowLate(t *testing.T) {
	second := metrics.Stamp(time.Second)
	for _, c := range []struct {
		name   string
		kernel bool
		late   metrics.Stamp // of the reads
		timer  time.Duration
		code   metrics.DelayCode
		stamps string
	}{
		{"in time", true, 1000, time.Millisecond, "", "kernel"},
		{"late reads", true, 30e6, time.Millisecond, metrics.DelayReads, "kernel"},
		{"a late timer does not touch the kernel's stamps", true, 1000, 30 * time.Millisecond, "", "kernel"},
		{"own stamps", false, 0, 30 * time.Millisecond, metrics.DelayStamps, "user"},
	} {
		s := metrics.Stream{ID: 1, State: metrics.Decoding, Marks: metrics.NewMarks(), Usage: metrics.NoUsage(),
			LiveTokens: -1, Now: 3 * second}
		s.Marks.Start, s.Marks.Sent = 0, 0
		for i := range 400 { // two chunks a read, every 10 ms
			at := metrics.Stamp(i/2) * 10e6
			s.Text = append(s.Text, 'a')
			s.Chunks = append(s.Chunks, metrics.Chunk{At: at, User: at + c.late, Kernel: c.kernel, Read: int32(i / 2),
				TextEnd: int32(len(s.Text)), Tokens: 1})
		}
		w := newWindow(&Config{}, newTimeline(0, longWindow))
		w.restart(0)
		w.warm = true
		in := newIntake(0, &w)
		in.ingest(newUser(1, 0, 0), &s, 0)
		p := w.point(phase{now: 3 * second, observer: metrics.Observer{N: 100, LateP99: c.timer, LateMax: 2 * c.timer}})
		testkit.That(t, p.Delay.Code == c.code && p.Stamps == c.stamps, "%s: %+v by %q stamps", c.name, p.Delay, p.Stamps)
		if c.code == metrics.DelayReads && (p.Delay.P99 < 28 || p.Delay.P99 > 32 ||
			math.Abs(p.Delay.Shared-200.0/399) > 1e-9) {
			t.Errorf("%s: %+v", c.name, p.Delay)
		}
		testkit.That(t, math.Abs(p.Gaps.Mean.V-5) <= 0.02 && p.Gaps.Missing.N == 200 && p.Gaps.Uncertain() == c.kernel,
			"%s: the mean of 5 ms is %v, bounds %+v", c.name, p.Gaps.Mean.V, p.Gaps.Missing)
		w.restart(100)
		if p := w.point(phase{now: 20 * second}); p.Delay.Code != "" || p.Stamps != "" {
			t.Errorf("%s: another window has %+v, %q", c.name, p.Delay, p.Stamps)
		}
	}
}
