package metrics

import (
	"fmt"
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

// BenchmarkMeasure measures a new stream once.
func BenchmarkMeasure(b *testing.B) {
	for _, n := range []int{200, 20_000} {
		s := longStream(n, 1)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Measure(s, Options{})
			}
		})
	}
}

// BenchmarkMeter measures as a screen does at 4 Hz: 180 more chunks each
// time, at the end of a response of 20 000.
func BenchmarkMeter(b *testing.B) {
	for _, c := range []struct {
		name   string
		tokens int16
	}{{"tokens told", 1}, {"tokens unknown", -1}} {
		s := longStream(20_000, c.tokens)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			var m Meter
			v := *s
			n := 10_000
			for b.Loop() {
				v.Chunks = s.Chunks[:n]
				v.Now = s.Chunks[n-1].At
				m.Measure(&v, Options{})
				if n += 180; n > len(s.Chunks) {
					b.StopTimer()
					n = 10_000
					v.Chunks = s.Chunks[:n]
					m.Measure(&v, Options{})
					b.StartTimer()
				}
			}
		})
	}
}

// BenchmarkReader is the ghost reader's frame at 30 Hz.
func BenchmarkReader(b *testing.B) {
	s := longStream(20_000, 1)
	b.ReportAllocs()
	var r Reader
	v := *s
	n := 10_000
	for b.Loop() {
		if n += 24; n > len(s.Chunks) {
			n = 10_000
		}
		v.Chunks = s.Chunks[:n]
		v.Now = s.Chunks[n-1].At
		r.Follow(&v, Paces[0])
	}
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
