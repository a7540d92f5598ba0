package stats

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
)

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
