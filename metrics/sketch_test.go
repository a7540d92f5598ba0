package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tokscope/metrics/stats"
	"tokscope/metrics/testseed"
)

// sketched are distributions of gaps in ms, each with what a quantile between two
// ranks can get wrong: stalls, two modes, whole milliseconds, a heavy tail.
var sketched = []struct {
	name string
	draw func(r *rand.Rand) float64
}{
	{"log-normal", func(r *rand.Rand) float64 { return 7 * math.Exp(0.3*r.NormFloat64()) }},
	{"1 % stalls", func(r *rand.Rand) float64 { return stalling(r, 0.01) }},
	{"5 % stalls", func(r *rand.Rand) float64 { return stalling(r, 0.05) }},
	{"10 % stalls", func(r *rand.Rand) float64 { return stalling(r, 0.10) }},
	{"half slow", func(r *rand.Rand) float64 { return stalling(r, 0.5) }},
	{"whole ms", func(r *rand.Rand) float64 { return float64(1 + r.IntN(9)) }},
	{"constant", func(*rand.Rand) float64 { return 7.1 }},
	{"Pareto, infinite mean", func(r *rand.Rand) float64 { return min(1/(1-r.Float64()), 1e6) }},
	{"exponential", func(r *rand.Rand) float64 { return 0.002 + 20*r.ExpFloat64() }},
}

// stalling draws a gap of 7 ms, or with that probability a stall of 0.2 to 2 s.
func stalling(r *rand.Rand, share float64) float64 {
	if r.Float64() < share {
		return 200 * math.Pow(10, r.Float64())
	}
	return 7 * math.Exp(0.1*r.NormFloat64())
}

// TestSketchIsWithinItsMethod: every percentile of a sketch that is printed is
// within 0.6 % of the percentile of the values, as SketchMethod says, of few and of
// many values, and of a sketch that was merged from three.
func TestSketchIsWithinItsMethod(t *testing.T) {
	random := testseed.Rand(t, 31)
	tries := 10
	if testseed.Long() {
		tries = 400
	}
	for _, d := range sketched {
		worst, at, level := 0.0, 0, 0.0
		for _, n := range []int{2, 3, 5, 9, 10, 11, 20, 21, 50, 100, 101, 137, 200, 300, 1000, 3000, 10_000} {
			for range max(tries*100/max(n, 100), 1) {
				values := make([]float64, n)
				var whole Sketch
				var parts [3]Sketch
				for i := range values {
					values[i] = d.draw(random)
					whole.Add(values[i])
					parts[i%3].Add(values[i])
				}
				for i := range parts[1:] {
					parts[0].Merge(&parts[i+1])
				}
				slices.Sort(values)
				for _, s := range []*Sketch{&whole, &parts[0]} {
					sketch := s.Dist(WhyNoGap)
					for q, v := range map[float64]Value{0.5: sketch.P50, 0.9: sketch.P90, 0.95: sketch.P95, 0.99: sketch.P99} {
						if !v.OK {
							continue
						}
						if off := math.Abs(v.V/stats.Quantile(values, q) - 1); off > worst {
							worst, at, level = off, n, q
						}
					}
				}
			}
		}
		t.Logf("%-22s worst %.2f %%: quantile %v of %d values", d.name, 100*worst, level, at)
		if worst > 0.006 {
			t.Errorf("%s: quantile %v of %d values is off by %.2f %%", d.name, level, at, 100*worst)
		}
	}
}

// TestTrimmedIsWithinItsMethod: the pooled percentiles of runs whose chunks were
// dropped are within 1.1 % of those of all gaps, as TrimMethod says.
func TestTrimmedIsWithinItsMethod(t *testing.T) {
	random := testseed.Rand(t, 35)
	tries := 3
	if testseed.Long() {
		tries = 100
	}
	for _, d := range sketched {
		worst := 0.0
		for try := range tries {
			var whole, trimmed []Run
			var trim Trimmer
			for range 3 {
				p, at := newPlay(), 100.0
				for range 4 + 40*(try%10) {
					p.every(at, 0, 1, "a")
					at += d.draw(random)
				}
				r := Run{Stream: p.done().Stream}
				r.Figures = Measure(&r.Stream, Options{})
				whole = append(whole, r)
				trim.Add(&r)
				trimmed = append(trimmed, r)
			}
			is, want := Summarize(trimmed).Gaps, Summarize(whole).Gaps
			if is.Method != TrimMethod || is.N != want.N {
				t.Fatalf("%d gaps by %s, want %d", is.N, is.Method, want.N)
			}
			for _, q := range [][2]Value{{is.P50, want.P50}, {is.P90, want.P90}, {is.P95, want.P95}, {is.P99, want.P99}} {
				if q[0].OK {
					worst = max(worst, math.Abs(q[0].V/q[1].V-1))
				}
			}
		}
		t.Logf("%-22s worst %.2f %%", d.name, 100*worst)
		if worst > 0.011 {
			t.Errorf("%s: off by %.2f %%", d.name, 100*worst)
		}
	}
}
