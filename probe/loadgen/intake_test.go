package loadgen

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics"
)

// anyStream draws a stream of one choice: bursts, chunks without text or
// tokens, tool calls, stamps that repeat or go back.
func anyStream(t *rapid.T) metrics.Stream {
	s := metrics.Stream{ID: 1, State: metrics.Decoding, Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), LiveTokens: -1}
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
// however often it is updated.
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
			in.ingest(u, &part)
		}
		gaps := in.series.second.gaps.Dist(0)
		if in.chunks != f.Chunks || gaps.N != f.Gaps.N || w.gaps.last(longWindow).N() != f.Gaps.N {
			t.Fatalf("%d chunks and %d gaps, %d in the window; the figures have %d and %d", in.chunks, gaps.N, w.gaps.last(longWindow).N(), f.Chunks, f.Gaps.N)
		}
		if f.Gaps.N > 0 && (gaps.Min != f.Gaps.Min || gaps.Max != f.Gaps.Max || math.Abs(gaps.Mean.V-f.Gaps.Mean.V) > 1e-9*gaps.Mean.V) {
			t.Fatalf("gaps %+v; the figures have %+v", gaps, f.Gaps)
		}
		if ttft, ok := u.lane.ttft.V, u.lane.ttft.OK; ok != f.TTFT.OK || ok && math.Abs(ttft-f.TTFT.V) > 1e-9 {
			t.Fatalf("TTFT %+v; the figures have %+v", u.lane.ttft, f.TTFT)
		}
	})
}
