package stats

import (
	"math"
	"testing"

	"tokscope/metrics/testkit"
)

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
	if _, lo, hi, p := Permutation([]float64{1, 2, 3, 4}, []float64{11, 12, 13, 14}, 0.025); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) || p != 2.0/70 {
		t.Errorf("4 values: p %v, %v to %v", p, lo, hi)
	}
	if _, lo, _, p := Permutation([]float64{1, 2, 3, 4, 5}, []float64{11, 12, 13, 14, 15}, 0.025); lo <= 0 || p != 2.0/252 {
		t.Errorf("5 values: p %v, from %v", p, lo)
	}
	if shift, lo, hi, p := Permutation([]float64{0.1, 0.1, 0.1, 0.1, 0.1}, []float64{0.1, 0.1, 0.1, 0.1, 0.1}, 0.025); math.Abs(shift)+math.Abs(lo)+math.Abs(hi) > 1e-12 || p != 1 {
		t.Errorf("equal values: shift %v, p %v, %v to %v", shift, p, lo, hi)
	}
	if shift, lo, hi, p := Permutation(nil, []float64{1}, 0.025); !math.IsNaN(shift) || !math.IsInf(lo, -1) || !math.IsInf(hi, 1) || p != 1 {
		t.Errorf("an empty sample: %v %v %v %v", shift, lo, hi, p)
	}
}
