package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tokscope/metrics/testseed"

	"pgregory.net/rapid"
)

// TestNth: every rank has the value that a sort puts there, and splits the others.
func TestNth(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 1))
	for range 300 {
		x := make([]int64, 1+random.IntN(60))
		for i := range x {
			x[i] = int64(random.IntN(len(x))) // many are equal
		}
		sorted := slices.Sorted(slices.Values(x))
		for k := range x {
			if got := Nth(x, k); got != sorted[k] || x[k] != got {
				t.Fatalf("rank %d of %v: %d, not %d", k, sorted, got, sorted[k])
			}
			for i, v := range x {
				if i < k && v > x[k] || i > k && v < x[k] {
					t.Fatalf("rank %d does not split %v", k, x)
				}
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
		if have, want := Median(x), Quantile(sorted, 0.5); have != want {
			t.Fatalf("median of %v: %v, want %v", sorted, have, want)
		}
		if !slices.Equal(slices.Sorted(slices.Values(x)), sorted) {
			t.Fatal("a value was lost")
		}
	})
}
