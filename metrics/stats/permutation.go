package stats

import (
	"math"
	"slices"
)

// Permutation compares the means of two samples by all divisions of their values into
// groups of these sizes: the test of an experiment in which it was drawn which value
// belongs to which sample (Pitman, Supplement to the Journal of the Royal Statistical
// Society 4, 1937). It needs no assumption on the values; they may drift together.
//
// shift is the mean of b less that of a, NaN with an empty sample. lo and hi are the ends of
// the shifts that are not rejected at level alpha, infinite where so few values cannot bound
// them. p is that of no shift, two-sided: twice the smaller tail, at most 1; 0 lies outside
// the interval where p <= alpha. The smallest p is [MannWhitneyLeast]. Samples of 8 have
// 12,870 divisions, of 10 184,756; NaN and infinities must not occur.
func Permutation(a, b []float64, alpha float64) (shift, lo, hi, p float64) {
	lo, hi = math.Inf(-1), math.Inf(1)
	if len(a) == 0 || len(b) == 0 {
		return math.NaN(), lo, hi, 1
	}
	// A division exchanges k values of a with k of b. With b shifted back, its difference
	// of means reaches that of the samples where the shift is at most, or at least, the
	// mean of what b gave less that of what a gave.
	var edges []float64
	ofA, ofB := sumsOf(a), sumsOf(b)
	shift = ofB[len(b)][0]/float64(len(b)) - ofA[len(a)][0]/float64(len(a))
	for k := 1; k <= min(len(a), len(b)); k++ {
		for _, x := range ofA[k] {
			for _, y := range ofB[k] {
				edges = append(edges, (y-x)/float64(k))
			}
		}
	}
	slices.Sort(edges)
	all := float64(len(edges) + 1) // with the one that exchanges nothing
	if k := int(alpha*all/2 + 1e-9); k > 0 {
		lo, hi = edges[k-1], edges[len(edges)-k]
	}
	near := 1e-12 * max(slices.Max(a), slices.Max(b), -slices.Min(a), -slices.Min(b)) // a sum may be off by rounding
	above, _ := slices.BinarySearch(edges, -near)
	below, _ := slices.BinarySearch(edges, near)
	return shift, lo, hi, min(2*min(float64(below+1), all-float64(above))/all, 1)
}

// sumsOf returns the sums of all choices of xs, by how many values are chosen.
func sumsOf(xs []float64) [][]float64 {
	sums := make([][]float64, len(xs)+1)
	sums[0] = []float64{0}
	for i, x := range xs {
		for k := i + 1; k > 0; k-- {
			for _, s := range sums[k-1] {
				sums[k] = append(sums[k], s+x)
			}
		}
	}
	return sums
}
