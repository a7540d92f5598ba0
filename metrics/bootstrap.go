package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// BootstrapRounds is how often Summarize resamples. It suffices for the
	// second digit of a 95 % interval (Efron and Tibshirani 1993 ask for 1000
	// or more).
	BootstrapRounds = 2000
	// MinBootstrap is the number of values below which the interval is unknown.
	// With fewer than five values the percentile bootstrap of a median is
	// little more than minimum and maximum. It covers far less than 95 %.
	MinBootstrap = 5
	// maxRounds bounds what a caller can ask for.
	maxRounds = 100_000
)

// BootstrapMedian returns the 95 % confidence interval of the median of xs by
// the percentile bootstrap (Efron 1979). It draws rounds samples of the same
// size from xs with replacement; lo and hi are the 2.5 % and 97.5 % quantiles
// of their medians. The same seed gives the same interval. xs is not
// modified, its order does not matter, and NaN and infinities are left out.
// The interval is unknown below MinBootstrap values. rounds is clamped to
// 100..100 000.
func BootstrapMedian(xs []float64, seed uint64, rounds int) (lo, hi Value) {
	x := make([]float64, 0, len(xs))
	for _, v := range xs {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			x = append(x, v)
		}
	}
	n := len(x)
	if n < MinBootstrap {
		u := Unknown(Needs(MinBootstrap))
		return u, u
	}
	slices.Sort(x)
	rounds = min(max(rounds, 100), maxRounds)
	random := rand.New(rand.NewPCG(seed, 0x70cc5c09e))
	medians := make([]float64, rounds)
	drawn := make([]int, n) // how often each value is in the sample
	for r := range medians {
		clear(drawn)
		for range n {
			drawn[random.IntN(n)]++
		}
		medians[r] = medianOfDrawn(x, drawn)
	}
	slices.Sort(medians)
	return Finite(Quantile(medians, 0.025), n), Finite(Quantile(medians, 0.975), n)
}

// medianOfDrawn returns the median (type 7) of the sample that holds x[i]
// drawn[i] times and has len(x) values. x is ascending. Counting is cheaper
// than sorting each sample.
func medianOfDrawn(x []float64, drawn []int) float64 {
	n := len(x)
	h := float64(n-1) / 2
	k := int(h) // the median lies between the k-th and the k+1-th
	seen := 0
	for i, d := range drawn {
		seen += d
		if seen <= k {
			continue
		}
		if seen > k+1 || h == float64(k) {
			return x[i]
		}
		for j := i + 1; j < n; j++ {
			if drawn[j] > 0 {
				return Between(x[i], x[j], 0.5)
			}
		}
		return x[i]
	}
	return x[n-1]
}
