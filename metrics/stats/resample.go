package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Permutation returns the two-sided p-value that a and b come from one
// distribution, by the difference of a statistic under rounds random divisions
// of all values (Fisher; with the correction of Phipson and Smyth, Statistical
// Applications in Genetics and Molecular Biology 9(1), 2010, so it is never 0).
// statistic gets ascending values and must not keep or change them. The same seed
// gives the same value. It is NaN with an empty sample.
func Permutation(a, b []float64, statistic func(ascending []float64) float64, rounds int, seed uint64) float64 {
	m, n := len(a), len(b)
	if m == 0 || n == 0 {
		return math.NaN()
	}
	all := slices.Sorted(slices.Values(slices.Concat(a, b)))
	x, y := make([]float64, 0, m), make([]float64, 0, n)
	observed := math.Abs(statistic(slices.Sorted(slices.Values(a))) - statistic(slices.Sorted(slices.Values(b))))
	// Equal statistics of another order of additions may differ in the last digits.
	observed -= 1e-12 * math.Abs(observed)
	random := rand.New(rand.NewPCG(seed, 0x5e1f))
	extreme := 0
	for range rounds {
		x, y = x[:0], y[:0]
		for i, v := range all { // a value goes to a with the share of a's free places
			if random.IntN(len(all)-i) < m-len(x) {
				x = append(x, v)
			} else {
				y = append(y, v)
			}
		}
		if math.Abs(statistic(x)-statistic(y)) >= observed {
			extreme++
		}
	}
	return float64(extreme+1) / float64(rounds+1)
}

// BCa returns the confidence interval of a smooth statistic of xs at level alpha,
// by the bootstrap, bias-corrected and accelerated (Efron, Journal of the American
// Statistical Association 82, 1987; Efron and Tibshirani, An Introduction to the
// Bootstrap, §14.3). It serves means and rates. It is not valid for extreme
// quantiles: use [QuantileInterval] for these. It needs 10 values; with fewer, and
// with a statistic that does not vary, lo and hi are NaN. The same seed gives the
// same interval. statistic must not keep or change its argument.
func BCa(xs []float64, statistic func([]float64) float64, alpha float64, rounds int, seed uint64) (lo, hi float64) {
	n := len(xs)
	if n < 10 || rounds < 100 {
		return math.NaN(), math.NaN()
	}
	observed := statistic(xs)
	random := rand.New(rand.NewPCG(seed, 0xbca))
	drawn, sample := make([]float64, rounds), make([]float64, n)
	below := 0.0
	for r := range drawn {
		for i := range sample {
			sample[i] = xs[random.IntN(n)]
		}
		drawn[r] = statistic(sample)
		switch {
		case drawn[r] < observed:
			below++
		case drawn[r] == observed:
			below += 0.5
		}
	}
	slices.Sort(drawn)
	if drawn[0] == drawn[rounds-1] {
		return math.NaN(), math.NaN()
	}
	bias := normalQuantile(below / float64(rounds))
	a := acceleration(xs, statistic)
	end := func(z float64) float64 {
		shifted := bias + (bias+z)/(1-a*(bias+z))
		return at(drawn, normal(shifted))
	}
	z := normalQuantile(alpha / 2)
	return end(z), end(-z)
}

// acceleration returns how fast the deviation of the statistic changes with its
// value, from the values without one each.
func acceleration(xs []float64, statistic func([]float64) float64) float64 {
	n := len(xs)
	without, rest := make([]float64, n), make([]float64, 0, n)
	sum := 0.0
	for i := range xs {
		rest = append(append(rest[:0], xs[:i]...), xs[i+1:]...)
		without[i] = statistic(rest)
		sum += without[i]
	}
	mean := sum / float64(n)
	var square, cube float64
	for _, v := range without {
		d := mean - v
		square += d * d
		cube += d * d * d
	}
	if square == 0 {
		return 0
	}
	return cube / (6 * math.Pow(square, 1.5))
}

// normal is the distribution function of the standard normal distribution.
func normal(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// normalQuantile is its inverse; infinite for 0 and 1.
func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
