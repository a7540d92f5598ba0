package stats

import (
	"math"
	"sort"
)

// logBinomial returns the logarithm of the probability of s successes in n
// trials of probability p.
func logBinomial(s, n int, p float64) float64 {
	l := logChoose(n, s)
	if s > 0 {
		l += float64(s) * math.Log(p)
	}
	if s < n {
		l += float64(n-s) * math.Log1p(-p)
	}
	return l
}

// Rejects reports whether s successes in n trials reject the probability p at
// level alpha, by Robbins' mixture: C(n,s) p^s (1-p)^(n-s) < alpha/(n+1)
// (Robbins, Annals of Mathematical Statistics 41(5), 1970; the form of Ding,
// Gandy and Hahn, arXiv 1611.01675).
//
// A true p is ever rejected, at any of infinitely many looks, with a probability
// of at most alpha. p and alpha lie in (0, 1). Without trials nothing is rejected.
func Rejects(s, n int, p, alpha float64) bool {
	return logBinomial(s, n, p) < math.Log(alpha)-math.Log(float64(n)+1)
}

// Counts returns the smallest and the largest number of successes in n trials
// that do not reject p at level alpha. lo is 0 or hi is n where too few trials
// could reject anything on that side. Both are 0 without trials.
func Counts(n int, p, alpha float64) (lo, hi int) {
	mode := min(int(float64(n+1)*p), n) // where the binomial is largest: never rejected
	lo = lowest(0, mode, func(s int) bool { return !Rejects(s, n, p, alpha) })
	hi = lowest(mode, n+1, func(s int) bool { return s > n || Rejects(s, n, p, alpha) }) - 1
	return lo, hi
}

// lowest returns the smallest i of from..to for which yes holds. yes holds from
// there on, and for to.
func lowest(from, to int, yes func(int) bool) int {
	return from + sort.Search(to-from, func(i int) bool { return yes(from + i) })
}

// ProbabilityInterval returns the probabilities that s successes in n trials do
// not reject at level alpha. It holds at every n at once. Without trials it is 0
// to 1.
func ProbabilityInterval(s, n int, alpha float64) (lo, hi float64) {
	if n <= 0 {
		return 0, 1
	}
	best := float64(s) / float64(n)
	if s > 0 {
		lo = bisect(0, best, func(p float64) bool { return p <= 0 || Rejects(s, n, p, alpha) })
	}
	hi = 1
	if s < n {
		hi = bisect(1, best, func(p float64) bool { return p >= 1 || Rejects(s, n, p, alpha) })
	}
	return lo, hi
}

// bisect returns the end of the region around out in which yes holds; yes does
// not hold at in.
func bisect(out, in float64, yes func(float64) bool) float64 {
	for range 60 {
		mid := out + (in-out)/2
		if yes(mid) {
			out = mid
		} else {
			in = mid
		}
	}
	return out
}

// QuantileInterval returns an interval of the quantile q of the values, which are
// in ascending order. It holds at every length at once, with a probability of at
// least 1-alpha, for any distribution, with and without ties. q lies in (0, 1).
// An end that no number of values so far can bound is infinite.
func QuantileInterval(ascending []float64, q, alpha float64) (lo, hi float64) {
	return quantileInterval(ascending, q, alpha, len(ascending))
}

// quantileInterval is QuantileInterval of values that count as m independent ones: those for
// which the share of values below is one that as many would not reject.
func quantileInterval(ascending []float64, q, alpha float64, m int) (lo, hi float64) {
	n := len(ascending)
	lo, hi = math.Inf(-1), math.Inf(1)
	least, most := Counts(m, q, alpha)
	if least > 0 {
		lo = ascending[(least*n+m-1)/m-1]
	}
	if most < m {
		hi = ascending[most*n/m]
	}
	return lo, hi
}

// QuantileNeeds returns how many values both ends of [QuantileInterval] need.
// At level 0.05 that is 8 for the median, 69 for p90, 158 for p95, 984 for p99.
func QuantileNeeds(q, alpha float64) int {
	// From some n on both ends are known for good: the bound falls faster than n
	// grows.
	enough := func(n int) bool {
		l, h := Counts(n, q, alpha)
		return l > 0 && h < n
	}
	to := 1
	for !enough(to) {
		to *= 2
	}
	return lowest(to/2, to, enough)
}
