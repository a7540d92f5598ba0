package metrics

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tokscope/metrics/stats"
	"tokscope/metrics/testkit"
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
	random := testkit.Rand(t, 31)
	tries := 10
	if testkit.Long() {
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
		testkit.That(t, worst <= 0.006, "%s: quantile %v of %d values is off by %.2f %%", d.name, level, at, 100*worst)
	}
}

// TestSummaryIsWithinItsMethod: the pooled percentiles of runs are within 0.6 % of
// those of all gaps, and those of runs whose chunks were dropped are the same.
func TestSummaryIsWithinItsMethod(t *testing.T) {
	random := testkit.Rand(t, 35)
	tries := 3
	if testkit.Long() {
		tries = 100
	}
	for _, d := range sketched {
		worst := 0.0
		for try := range tries {
			var whole, trimmed []Run
			var all []float64
			var trim Trimmer
			for range 3 {
				p, at := newPlay(), 100.0
				for range 4 + 40*(try%10) {
					p.every(at, 0, 1, "a")
					at += d.draw(random)
				}
				r := Run{Stream: p.done().Stream}
				r.Figures = Measure(&r.Stream, Options{})
				for i := range r.Stream.Chunks {
					if ms, ok := r.Stream.Gap(i); ok {
						all = append(all, ms)
					}
				}
				whole = append(whole, r)
				trim.Add(&r)
				trimmed = append(trimmed, r)
			}
			is, lost, want := Summarize(whole).Gaps, Summarize(trimmed).Gaps, Distribution(all)
			testkit.Given(t, is.Method == stats.SketchMethod && is.N == want.N && lost.N == want.N,
				"%d gaps by %s and %d, want %d", is.N, is.Method, lost.N, want.N)
			for _, q := range [][3]Value{{is.P50, lost.P50, want.P50}, {is.P90, lost.P90, want.P90},
				{is.P95, lost.P95, want.P95}, {is.P99, lost.P99, want.P99}} {
				if q[0].OK {
					worst = max(worst, math.Abs(q[0].V/q[2].V-1))
				}
				testkit.Is(t, q[0], q[1], d.name)
			}
		}
		t.Logf("%-22s worst %.2f %%", d.name, 100*worst)
		testkit.That(t, worst <= 0.006, "%s: off by %.2f %%", d.name, 100*worst)
	}
}

// TestSketchOfNothing: what is no time is not counted.
func TestSketchOfNothing(t *testing.T) {
	var s Sketch
	for _, v := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		s.Add(v)
	}
	if d := s.Dist(WhyNoValues); s.N() != 0 || d.P50.Why != WhyNoValues || d.Method != stats.SketchMethod {
		t.Errorf("%d values, %+v", s.N(), d)
	}
}

// A sketch that was sent is the same again, hidden gaps too, and what is none is refused.
func TestSketchSent(t *testing.T) {
	random := testkit.Rand(t, 47)
	for range 50 {
		var merged, imported Sketch
		for range 3 {
			var s Sketch
			for range random.IntN(40) {
				n := 1 + random.IntN(4)
				b := GapBlock{Ms: random.ExpFloat64() * 20 * float64(n), Gaps: n, First: random.IntN(9) == 0}
				if n == 1 && !b.First {
					b.Gap = b.Ms
				}
				s.Track(b, GapBlock{})
			}
			merged.Merge(&s)
			sent, back := testkit.Must(json.Marshal(s.Export()))(t), []float64(nil)
			testkit.OK(t, json.Unmarshal(sent, &back))
			testkit.Given(t, imported.Import(back), "%s was refused", sent)
		}
		testkit.Same(t, imported.Dist(WhyNoGap), merged.Dist(WhyNoGap))
	}
	for at, bad := range map[int]float64{1: -1, 2: -1, 4: -1, 5: -1, 8: 0, 9: 1e-9, 11: -1, 12: -3, 13: -3, 14: -3} {
		var s, to Sketch
		s.Add(2)
		v := s.Export()
		v[at] = bad
		testkit.That(t, !to.Import(v) && to.N() == 0 && !to.Import(v[:len(v)-1]), "%v was taken", v)
	}
}
