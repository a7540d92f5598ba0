package metrics

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tokscope/metrics/ratio"
	"tokscope/metrics/stats"
)

// walked returns the quantiles of the sample x with the difference e, found by
// looking at every value.
func walked(x []weighted, e []weighted) (q [len(boundLevels)]float64) {
	all := slices.Concat(x, e)
	slices.SortStableFunc(all, compareWeighted) // negative weights come first
	total := 0.0
	for _, w := range all {
		total += w.w
	}
	at := func(rank float64) float64 {
		seen, last := 0.0, 0.0
		for _, w := range all {
			if seen += w.w; w.w > 0 {
				if last = w.v; seen > rank+rankSlack {
					break
				}
			}
		}
		return last
	}
	for k := range q {
		h := rankOf(total, k)
		q[k] = stats.Between(at(math.Floor(h)), at(math.Floor(h)+1), h-math.Floor(h))
	}
	return q
}

// The quantiles of a sample with its difference are those of all values looked
// at one by one, and do not depend on when the difference was sorted.
func TestQuantilesOfADifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Map(rapid.IntRange(0, 20), func(n int) float64 { return float64(n) / 4 }) // many are the same
		unit := rapid.Bool().Draw(t, "weights of 1")
		weight := rapid.Map(rapid.IntRange(1, 12), func(n int) float64 { return float64(n) / 4 })
		var x []weighted
		var plain []float64
		for _, v := range rapid.SliceOfN(value, 1, 60).Draw(t, "sample") {
			w := 1.0
			if !unit {
				w = weight.Draw(t, "weight")
			}
			x, plain = append(x, weighted{v, w}), append(plain, v)
		}
		slices.SortFunc(x, compareWeighted)
		slices.Sort(plain)
		var e edge
		for range rapid.IntRange(0, 20).Draw(t, "differences") {
			e.add(weighted{value.Draw(t, "added"), weight.Draw(t, "weight")})
			if i := rapid.IntRange(0, 2*len(x)).Draw(t, "left out"); i < len(x) && !slices.Contains(e.list, weighted{x[i].v, -x[i].w}) {
				e.add(weighted{x[i].v, -x[i].w})
			}
			if rapid.Bool().Draw(t, "sort") {
				e.sort()
			}
		}
		want := walked(x, e.list)
		var buf []float64
		s := weights(x, &buf)
		if unit {
			s = floats(plain)
		}
		if got := e.quantiles(s); got != want {
			t.Fatalf("%v with %v: %v, want %v", x, e.list, got, want)
		}
	})
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
		r := ratio.Of(time.Now, measured(true), measured(false))
		b.ReportMetric(r, "times")
		if r > 3 {
			b.Errorf("with bursts a look takes %.1f times as long, at most 3", r)
		}
	}
}
