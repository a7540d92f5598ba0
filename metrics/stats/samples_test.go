package stats

import (
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
)

// long: run the long simulations of this package.
var long = testkit.Long()

// TestDifferences: the k-th difference without building them is the k-th of all
// that are built.
func TestDifferences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.Float64Range(-1e3, 1e3), rapid.Just(0.0), rapid.Just(-1.5))
		a := rapid.SliceOfN(value, 1, 20).Draw(t, "a")
		b := rapid.SliceOfN(value, 1, 20).Draw(t, "b")
		slices.Sort(a)
		slices.Sort(b)
		var all []float64
		for _, x := range a {
			for _, y := range b {
				all = append(all, x-y)
			}
		}
		slices.Sort(all)
		for k, want := range all {
			testkit.Need(t, (differences{a, b}).at(k), want, "difference", k)
		}
	})
}

// TestEdges: what cannot be said is NaN, infinite or 1, never a panic.
func TestEdges(t *testing.T) {
	if _, p := MannWhitney(nil, []float64{1}); !math.IsNaN(p) {
		t.Errorf("an empty sample has p = %v", p)
	}
	if _, p := MannWhitney([]float64{3, 3, 3}, []float64{3, 3}); p != 1 {
		t.Errorf("equal values have p = %v", p)
	}
	shift, lo, hi := HodgesLehmann([]float64{5}, []float64{3}, 0.05)
	testkit.That(t, shift == 2 && math.IsInf(lo, -1) && math.IsInf(hi, 1), "one value each: %v, %v to %v", shift, lo, hi)
	if got := Holm(nil); len(got) != 0 {
		t.Errorf("no tests: %v", got)
	}
	if got := ChangePoints([]float64{1, 2, 3}, 0.01, 1); got != nil {
		t.Errorf("three values: %v", got)
	}
	if got := ChangePoints(make([]float64, 50), 0.01, 1); got != nil {
		t.Errorf("a constant: %v", got)
	}
}

// TestRejectionsOfEquals: of samples of one distribution each test of level 5 %
// rejects about that share, and each interval misses about that share.
func TestRejectionsOfEquals(t *testing.T) {
	random := testkit.Rand(t, 14)
	rounds := 300
	if long {
		rounds = 10_000
	}
	counts := map[string]int{}
	miss := func(name string, missed bool) {
		if missed {
			counts[name]++
		}
	}
	draw := func(n int) []float64 {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = math.Exp(0.4 * random.NormFloat64())
		}
		return xs
	}
	for range rounds {
		a, b := draw(15), draw(12)
		_, p := MannWhitney(a, b)
		miss("Mann-Whitney, exact", p < 0.05)
		_, lo, hi := HodgesLehmann(a, b, 0.05)
		miss("Hodges-Lehmann, exact", lo > 0 || hi < 0)
		a, b = draw(80), draw(60)
		_, p = MannWhitney(a, b)
		miss("Mann-Whitney, normal", p < 0.05)
		_, lo, hi = HodgesLehmann(a, b, 0.05)
		miss("Hodges-Lehmann, normal", lo > 0 || hi < 0)
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		share := float64(counts[name]) / float64(rounds)
		t.Logf("%-24s %.1f %% of %d", name, 100*share, rounds)
		// Four standard deviations above 5 %.
		bound := 0.05 + 4*math.Sqrt(0.05*0.95/float64(rounds))
		testkit.That(t, share <= bound && share >= 0.01, "%s: %.1f %% of %d", name, 100*share, rounds)
	}
}
