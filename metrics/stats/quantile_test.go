package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
)

// TestNth: every rank has the value that a sort puts there, and splits the others.
func TestNth(t *testing.T) {
	random := rand.New(rand.NewPCG(testkit.Seed(t), 1))
	for range 300 {
		x := make([]int64, 1+random.IntN(60))
		for i := range x {
			x[i] = int64(random.IntN(len(x))) // many are equal
		}
		sorted := slices.Sorted(slices.Values(x))
		for k := range x {
			got := Nth(x, k)
			testkit.Given(t, got == sorted[k] && x[k] == got, "rank %d of %v: %d, not %d", k, sorted, got, sorted[k])
			for i, v := range x {
				testkit.Given(t, (i >= k || v <= x[k]) && (i <= k || v >= x[k]), "rank %d does not split %v", k, x)
			}
		}
	}
}

// TestMedian: the median of values in any order is that of the sorted ones.
func TestMedian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-100, 100), 1, 60).Draw(t, "x")
		for i := range x {
			if rapid.Bool().Draw(t, "whole") {
				x[i] = math.Round(x[i] / 20) // many alike
			}
		}
		sorted := slices.Sorted(slices.Values(x))
		testkit.Need(t, Median(x), Quantile(sorted, 0.5), "median of", sorted)
		testkit.Given(t, slices.Equal(slices.Sorted(slices.Values(x)), sorted), "a value was lost")
	})
}

func TestQuantilesRiseWithinTheSample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-1e300, 1e300), 1, 300).Draw(t, "x")
		slices.Sort(x)
		last := x[0]
		for q := 0.0; q <= 1; q += 1.0 / 64 {
			v := Quantile(x, q)
			testkit.Given(t, v >= last && v <= x[len(x)-1], "Q(%v) = %v after %v, in [%v, %v]", q, v, last, x[0], x[len(x)-1])
			last = v
		}
		testkit.Need(t, last, x[len(x)-1], "Q(1), want the largest value")
	})
}

// TestWeightedIsExpanded: a weighted sample has the figures of the expanded one.
func TestWeightedIsExpanded(t *testing.T) {
	levels := []float64{0, 0.25, 0.5, 0.9, 0.99, 1}
	rapid.Check(t, func(t *rapid.T) {
		var x, single []Weighted
		var flat []float64
		for range rapid.IntRange(1, 40).Draw(t, "n") {
			e := Weighted{rapid.Float64Range(0, 1000).Draw(t, "v"), float64(rapid.IntRange(1, 9).Draw(t, "w"))}
			x = append(x, e)
			for range int(e.W) {
				flat = append(flat, e.V)
				single = append(single, Weighted{e.V, 1})
			}
		}
		slices.SortFunc(x, Weighted.Compare)
		slices.SortFunc(single, Weighted.Compare)
		slices.Sort(flat)
		got := make([]float64, len(levels))
		WeightedQuantiles(x, levels, got)
		for k, q := range levels {
			if want := Quantile(flat, q); math.Abs(got[k]-want) > 1e-9*want {
				t.Fatalf("quantile %v of %v: %v, want %v", q, x, got[k], want)
			}
		}
		mean, _ := WeightedFigures(x)
		if want, _ := WeightedFigures(single); math.Abs(mean-want) > 1e-9*want {
			t.Fatalf("mean of %v: %v, want %v", x, mean, want)
		}
	})
}

// Values of equal weight are sorted as those of different ones.
func TestSortWeighted(t *testing.T) {
	r := testkit.Rand(t, 2)
	var buf []float64
	for range 200 {
		weights := 1 + r.IntN(2)
		x := make([]Weighted, r.IntN(40))
		for i := range x {
			x[i] = Weighted{float64(r.IntN(20)) / 4, float64(1 + r.IntN(weights))}
		}
		want := slices.Clone(x)
		slices.SortFunc(want, Weighted.Compare)
		if SortWeighted(x, &buf); !slices.Equal(x, want) {
			t.Fatalf("%v, want %v", x, want)
		}
	}
}

// BenchmarkSortWeighted checks that values of equal weight are sorted as values:
// each end of a stream sorts two such lists.
func BenchmarkSortWeighted(b *testing.B) {
	const most = 0.75
	r := testkit.Rand(b, 3)
	from := make([]Weighted, 250)
	for i := range from {
		from[i] = Weighted{20 + r.NormFloat64(), 1}
	}
	x, buf := make([]Weighted, len(from)), []float64(nil)
	ours := func() {
		copy(x, from)
		SortWeighted(x, &buf)
	}
	theirs := func() {
		copy(x, from)
		slices.SortFunc(x, Weighted.Compare)
	}
	for b.Loop() {
		share := testkit.Ratio(time.Now, ours, theirs)
		if b.ReportMetric(share, "of-weighted"); share > most {
			b.Fatalf("sorting values takes %.2f of sorting them with their weights, more than %v", share, most)
		}
	}
}
