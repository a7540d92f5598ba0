package metrics

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tokscope/metrics/testseed"
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
