package history

import (
	"math"
	"slices"
	"testing"

	"tokscope/metrics/testkit"
)

// quantilesOf are the quantiles of values: the smallest with that share at or
// below it.
func quantilesOf(v []float64) Quantiles {
	if len(v) == 0 {
		return Quantiles{}
	}
	v = slices.Sorted(slices.Values(v))
	at := func(p float64) float64 { return v[max(int(math.Ceil(p*float64(len(v))))-1, 0)] }
	return Quantiles{N: len(v), Min: v[0], P10: at(.1), P25: at(.25), P50: at(.5), P75: at(.75), P90: at(.9),
		Max: v[len(v)-1]}
}

// TestMix mixes slots of random values. Number and ends are exact, one slot
// alone is unchanged, quantiles ascend, and those of many values are near the
// true ones.
func TestMix(t *testing.T) {
	r := testkit.Rand(t, 1)
	for n := range 300 {
		var all []float64
		var qs []Quantiles
		for range r.IntN(6) {
			var part []float64
			mid := 100 * math.Exp(r.NormFloat64())
			for range r.IntN(400) * r.IntN(2) {
				part = append(part, mid*math.Exp(0.1*r.NormFloat64()))
			}
			if r.IntN(5) == 0 { // values that do not differ
				for i := range part {
					part[i] = 42
				}
			}
			qs = append(qs, quantilesOf(part))
			all = append(all, part...)
		}
		got, want := Mix(qs...), quantilesOf(all)
		testkit.Given(t, got.N == want.N && got.Min == want.Min && got.Max == want.Max,
			"%d: %+v, want the ends of %+v", n, got, want)
		g := []float64{got.Min, got.P10, got.P25, got.P50, got.P75, got.P90, got.Max}
		testkit.Given(t, slices.IsSorted(g), "%d: %v descends", n, g)
		if len(all) == 0 {
			continue
		}
		for _, p := range []struct{ got, share float64 }{{got.P10, .1}, {got.P25, .25}, {got.P50, .5}, {got.P75, .75},
			{got.P90, .9}} {
			below, upTo := 0, 0
			for _, v := range all {
				if v < p.got*(1-1e-9) {
					below++
				}
				if v <= p.got*(1+1e-9) {
					upTo++
				}
			}
			// The lines between the known quantiles may be wrong by the mass
			// between two of them.
			lo, hi := float64(below)/float64(len(all)), float64(upTo)/float64(len(all))
			testkit.That(t, lo <= p.share+.25 && hi >= p.share-.25, "%d: the quantile %v lies at %v to %v", n, p.share, lo, hi)
		}
	}
	one := Quantiles{N: 3, Min: 1, P10: 1, P25: 2, P50: 5, P75: 9, P90: 9, Max: 9}
	testkit.Is(t, Mix(Quantiles{}, one, Quantiles{}), one, "one slot becomes")
	if got := Mix(one, one); got.P50 != one.P50 || got.P25 != one.P25 || got.N != 6 {
		t.Errorf("twice the same becomes %+v", got)
	}
	testkit.Is(t, Mix(), Quantiles{}, "nothing becomes")
}
