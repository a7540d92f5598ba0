package loadgen

import (
	"math"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// answerOf is an answer that was sent at start, with chunks at these ms after it, of size
// tokens each, counted by the server.
func answerOf(start time.Duration, size int, at ...float64) metrics.Stream {
	s := metrics.NoStream(0)
	s.State, s.TokensFrom, s.Usage.Completion = metrics.Done, metrics.TokensUsage, size*len(at)
	s.Marks.Start, s.Marks.Sent = metrics.Stamp(start), metrics.Stamp(start)
	for i, ms := range at {
		stamp := metrics.Stamp(start) + metrics.Stamp(ms*1e6)
		for range size {
			s.Text = append(s.Text, "word "...)
		}
		s.Chunks = append(s.Chunks, metrics.Chunk{At: stamp, User: stamp, Read: int32(i), Event: int32(i), Bytes: 150,
			TextEnd: int32(len(s.Text)), Tokens: -1, Kernel: true})
		s.Marks.End, s.Now = stamp, stamp
	}
	return s
}

// spaced returns n times from first on, each ms apart.
func spaced(first, each float64, n int) (at []float64) {
	for i := range n {
		at = append(at, first+each*float64(i))
	}
	return at
}

// TestHeldAnswersHaveNoPace holds that answers which were held back and let go have no
// part in gaps, TPOT and speed of a point, that it counts them, and that one which came a
// little slower than the others is one of them. Others keep their pace.
func TestHeldAnswersHaveNoPace(t *testing.T) {
	plain := answerOf(0, 1, spaced(300, 20, 50)...)
	paused := answerOf(0, 2, append(spaced(1000, 0.05, 20), spaced(1003, 0.05, 20)...)...)
	many := answerOf(0, 1, spaced(1400, 0.07, 60)...)
	few := answerOf(0, 40, 5000, 5001, 5002)
	late := answerOf(0, 1, append(spaced(1100, 0.05, 10), spaced(1130, 0.05, 40)...)...)
	prefill := answerOf(0, 1, spaced(24_000, 10, 40)...)
	fast := answerOf(0, 1, spaced(400, 0.4, 400)...)
	for _, c := range []struct {
		name  string
		all   []metrics.Stream
		held  int
		speed float64 // 0: unknown
		gaps  int
	}{
		{"plain ones", []metrics.Stream{plain, plain}, 0, 50, 98},
		{"all", []metrics.Stream{many, paused, few}, 3, 0, 0},
		{"one of three", []metrics.Stream{plain, paused, plain}, 1, 50, 98},
		{"one that came later", []metrics.Stream{many, many, late}, 3, 0, 0},
		{"alone it keeps its pace", []metrics.Stream{late}, 0, 49 / 0.03195, 49},
		{"much prefill", []metrics.Stream{prefill}, 0, 100, 39},
		{"fast", []metrics.Stream{fast, plain}, 0, (2500 + 50) / 2, 399 + 49},
	} {
		w := newWindow(&Config{}, newTimeline(0, longWindow))
		w.restart(0)
		w.warm = true
		in, end := newIntake(0, &w), metrics.Stamp(0)
		for i := range c.all {
			s, u := c.all[i], newUser(i+1, 0, 0)
			for n := 1; n < len(s.Chunks); n += 7 {
				part := s
				part.State, part.Chunks, part.Now = metrics.Decoding, s.Chunks[:n], s.Chunks[n-1].At
				in.ingest(u, &part, 0)
			}
			f := metrics.Measure(&s, metrics.Options{})
			end = max(end, s.Marks.End)
			w.add(0, newRecord(s.Marks.End, true, in.finish(u, &s, &f)))
		}
		p := w.point(phase{now: end + metrics.Stamp(time.Second)})
		testkit.That(t, p.AtOnce == c.held && p.Gaps.N == c.gaps && p.TTFT.N == len(c.all) && p.TPOT.N == len(c.all)-c.held,
			"%s: %d held back, %d gaps, %d TTFT, %d TPOT", c.name, p.AtOnce, p.Gaps.N, p.TTFT.N, p.TPOT.N)
		testkit.That(t, p.Speed.OK == (c.speed > 0) && math.Abs(p.Speed.V-c.speed) <= 0.01*c.speed,
			"%s: speed %+v, want %v", c.name, p.Speed, c.speed)
		if sum := w.timeline.sum(0, 300); pooled(&sum).OK != (c.speed > 0) {
			t.Errorf("%s: a chart shows %v", c.name, pooled(&sum))
		}
		if c.speed == 0 && (p.Speed.Why != metrics.WhyAtOnce || p.TPOT.P50.Why != metrics.WhyAtOnce ||
			p.Gaps.P50.Why != metrics.WhyAtOnce) {
			t.Errorf("%s: the reasons are %v, %v and %v", c.name, p.Speed.Why, p.TPOT.P50.Why, p.Gaps.P50.Why)
		}
	}
}
