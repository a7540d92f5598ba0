package stats

import (
	"fmt"
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
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

// enumerated returns the p-value of MannWhitney from all divisions of the values.
func enumerated(a, b []float64) float64 {
	all := slices.Concat(a, b)
	of := func(first func(i int) bool) (twice int) {
		for i, x := range all {
			for j, y := range all {
				switch {
				case !first(i) || first(j):
				case x > y:
					twice += 2
				case x == y:
					twice++
				}
			}
		}
		return twice
	}
	observed := of(func(i int) bool { return i < len(a) })
	below, above, divisions := 0, 0, 0
	for set := range uint(1) << len(all) {
		if bits.OnesCount(set) != len(a) {
			continue
		}
		divisions++
		u := of(func(i int) bool { return set>>i&1 == 1 })
		if u <= observed {
			below++
		}
		if u >= observed {
			above++
		}
	}
	return min(2*float64(min(below, above))/float64(divisions), 1)
}

// TestMannWhitneyIsExact: of small samples, with ties and without, p is that of all
// divisions, and never below what MannWhitneyLeast says.
func TestMannWhitneyIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]int{1, 2, 4, 1000}).Draw(t, "values")
		value := rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(0, most).Draw(t, "x")) })
		a := rapid.SliceOfN(value, 1, 5).Draw(t, "a")
		b := rapid.SliceOfN(value, 1, 5).Draw(t, "b")
		_, p := MannWhitney(a, b)
		want := enumerated(a, b)
		testkit.Given(t, math.Abs(p-want) <= 1e-9, "p %v, of all divisions %v", p, want)
		least := MannWhitneyLeast(len(a), len(b))
		testkit.Given(t, p >= least-1e-9, "p %v is below the least, %v", p, least)
	})
}

// split returns n values, of which the first are 0 and so many are 1.
func split(n, ones int) []float64 {
	out := make([]float64, n)
	for i := range ones {
		out[n-1-i] = 1
	}
	return out
}

// TestMannWhitneyOfTwoValues compares with the hypergeometric distribution, which is
// that of U then, up to the largest samples that are exact.
func TestMannWhitneyOfTwoValues(t *testing.T) {
	for _, c := range []struct {
		m, n, inA, inB int
		p              float64
	}{
		{5, 5, 0, 5, 2.0 / 252},
		{10, 10, 0, 5, 2 * 252.0 / 15504},
		{50, 50, 0, 5, 2 * math.Exp(logChoose(50, 5)-logChoose(100, 5))},
		{50, 40, 50, 0, 2 * math.Exp(-logChoose(90, 40))},
	} {
		_, p := MannWhitney(split(c.m, c.inA), split(c.n, c.inB))
		near(t, fmt.Sprintf("%d of %d ones against %d of %d", c.inA, c.m, c.inB, c.n), p/c.p, 1, 1e-9)
	}
}

// TestMannWhitneyHoldsItsLevelWithTies: of equal samples with ties it names a
// difference in at most 5 %, and of samples whose times are half as long again it
// names one as often as is logged.
func TestMannWhitneyHoldsItsLevelWithTies(t *testing.T) {
	random := testkit.Rand(t, 33)
	tries := 100
	if long {
		tries = 20_000
	}
	for _, d := range []struct {
		name string
		draw func(r *rand.Rand, factor float64) float64
		n    int
		find float64 // least share of differences that are named
	}{
		{"server's whole ms", wholeMs, 5, 0.2},
		{"server's whole ms", wholeMs, 10, 0.6},
		{"server's whole ms", wholeMs, 20, 0.9},
		{"server's whole ms", wholeMs, 50, 0.99},
		{"server's whole ms", wholeMs, 60, 0.99}, // by the normal approximation
		{"mostly 0", mostlyZero, 20, 0.15},
		{"mostly 0", mostlyZero, 50, 0.45},
		{"mostly 0", mostlyZero, 60, 0.5},
	} {
		if !long && d.n == 50 {
			continue // takes a second
		}
		tries := tries
		if d.n == 50 {
			tries = 4000
		}
		named := func(factor float64) float64 {
			count := 0
			for range tries {
				a, b := make([]float64, d.n), make([]float64, d.n)
				for i := range a {
					a[i], b[i] = d.draw(random, 1), d.draw(random, factor)
				}
				if _, p := MannWhitney(a, b); p <= 0.05 {
					count++
				}
			}
			return float64(count) / float64(tries)
		}
		wrong, found := named(1), named(1.5)
		t.Logf("%s, %d values each: of equals %.1f %% differ, of 1.5x %.1f %%", d.name, d.n, 100*wrong, 100*found)
		testkit.That(t, wrong <= 0.05+4*math.Sqrt(0.05*0.95/float64(tries)),
			"%s, %d values each: %.1f %% of equals differ", d.name, d.n, 100*wrong)
		if found < d.find-1/math.Sqrt(float64(tries)) { // two standard errors
			t.Errorf("%s, %d values each: 1.5x is named in %.1f %%", d.name, d.n, 100*found)
		}
	}
}

// wholeMs draws a time of a server that reports whole milliseconds, about 4.
func wholeMs(r *rand.Rand, factor float64) float64 {
	return math.Floor(4 * factor * math.Exp(0.3*r.NormFloat64()))
}

// mostlyZero draws a time that is below 1 ms in most cases.
func mostlyZero(r *rand.Rand, factor float64) float64 {
	return math.Floor(0.7 * factor * math.Exp(0.8*r.NormFloat64()))
}

// TestPermutationHoldsItsLevel: of samples whose order is drawn, with a drift and outliers
// that no test knows of, the interval misses the true shift at most as often as it says,
// and p agrees with it.
func TestPermutationHoldsItsLevel(t *testing.T) {
	const alpha, truth = 0.05, 0.3
	r := testkit.Rand(t, 27)
	n, missed := 4000, 0
	for range n {
		var at [12]float64 // what the time of a block does, whoever it belongs to
		wave := r.Float64() * 6
		for i := range at {
			at[i] = float64(i)*0.1 + math.Sin(wave+float64(i)) + 0.05*r.NormFloat64()
			if r.IntN(10) == 0 {
				at[i] += 5
			}
		}
		var a, b []float64
		for k, i := range r.Perm(len(at)) {
			if k < 6 {
				a = append(a, at[i])
			} else {
				b = append(b, at[i]+truth)
			}
		}
		_, lo, hi, p := Permutation(a, b, alpha)
		if truth < lo || truth > hi {
			missed++
		}
		testkit.Need(t, p <= alpha, lo > 0 || hi < 0, "p", p, "but", lo, "to", hi)
	}
	if share := float64(missed) / float64(n); share > alpha+0.01 || share < alpha-0.02 {
		t.Errorf("the interval missed the shift in %.1f %% of %d", 100*share, n)
	}
}

// TestPermutationOfFewValues: nothing is settled where no division is rare enough, and equal
// values differ in nothing.
func TestPermutationOfFewValues(t *testing.T) {
	if _, lo, hi, p := Permutation([]float64{1, 2, 3, 4}, []float64{11, 12, 13, 14}, 0.025); !math.IsInf(lo, -1) ||
		!math.IsInf(hi, 1) || p != 2.0/70 {
		t.Errorf("4 values: p %v, %v to %v", p, lo, hi)
	}
	if _, lo, _, p := Permutation([]float64{1, 2, 3, 4, 5}, []float64{11, 12, 13, 14, 15}, 0.025); lo <= 0 ||
		p != 2.0/252 {
		t.Errorf("5 values: p %v, from %v", p, lo)
	}
	if shift, lo, hi, p := Permutation([]float64{0.1, 0.1, 0.1, 0.1, 0.1}, []float64{0.1, 0.1, 0.1, 0.1, 0.1},
		0.025); math.Abs(shift)+math.Abs(lo)+math.Abs(hi) > 1e-12 || p != 1 {
		t.Errorf("equal values: shift %v, p %v, %v to %v", shift, p, lo, hi)
	}
	if shift, lo, hi, p := Permutation(nil, []float64{1}, 0.025); !math.IsNaN(shift) || !math.IsInf(lo, -1) ||
		!math.IsInf(hi, 1) || p != 1 {
		t.Errorf("an empty sample: %v %v %v %v", shift, lo, hi, p)
	}
}
