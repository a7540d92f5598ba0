package metrics

import (
	"testing"
	"time"
	"tokscope/metrics/testkit"
)

// longStream is a response of n chunks at 1.4 ms with a burst now and then.
func longStream(n int, tokens int16) *Stream {
	s := newPlay()
	at := 400.0
	for i := range n {
		if i%50 == 49 {
			s.together("burst ")
			s.Chunks[i].Tokens = tokens
			continue
		}
		at += 1.4 + float64(i*7919%97)/1000
		s.counted(at, "word ", tokens)
	}
	s.now(at)
	return &s.Stream
}

// TestMeterAllocatesNothing checks that a Meter with grown buffers does not
// allocate, because the screen's frame would pay for it.
func TestMeterAllocatesNothing(t *testing.T) {
	s := longStream(2000, 1)
	var m Meter
	m.Measure(s, Options{})
	v := *s
	testkit.Allocates(t, 0, 20, func() {
		v.Now++
		m.Measure(&v, Options{})
	}, "a look")
	s = longStream(2000, -1)
	testkit.Allocates(t, 1, 20, func() {
		s.ID++ // restarts in the same buffers
		m.Measure(s, Options{})
	}, "another stream of the same size")
}

// BenchmarkBounds holds that the bounds of quantiles cost little beside the
// figures of the same stream without bursts.
func BenchmarkBounds(b *testing.B) {
	const chunks, more = 20_000, 180
	measured := func(shared bool) func() {
		s := longStream(chunks, 1)
		if !shared {
			for i := range s.Chunks {
				s.Chunks[i].Read, s.Chunks[i].At = int32(i), s.Chunks[i].At+Stamp(i)
			}
		}
		var m Meter
		v, n := *s, chunks/2
		return func() {
			if n += more; n > chunks {
				n = chunks / 2
			}
			v.Chunks, v.Now = s.Chunks[:n], s.Chunks[n-1].At
			m.Measure(&v, Options{})
		}
	}
	for b.Loop() {
		r := testkit.Ratio(time.Now, measured(true), measured(false))
		b.ReportMetric(r, "times")
		if r > 3 {
			b.Errorf("with bursts a look takes %.1f times as long, at most 3", r)
		}
	}
}
