package stats

import "math"

// Fisher returns the two-sided p-value that two shares are equal: s of m in one
// sample, u of n in the other. It is exact for any counts: the probability of all
// tables with the same sums that are at most as likely as this one (Fisher,
// Journal of the Royal Statistical Society 98(1), 1935). It is 1 with an empty
// sample. 0 <= s <= m and 0 <= u <= n.
func Fisher(s, m, u, n int) float64 {
	hits := s + u
	if m == 0 || n == 0 || hits == 0 || hits == m+n {
		return 1
	}
	of := func(i int) float64 { // the logarithm of the probability of i hits in the first sample
		return logChoose(m, i) + logChoose(n, hits-i) - logChoose(m+n, hits)
	}
	limit := of(s) + 1e-9 // equally likely tables differ by rounding
	// The probability rises to the likeliest table and falls after it, so the
	// others lie in two tails.
	from, to := max(0, hits-n), min(m, hits)
	top := lowest(from, to, func(i int) bool { return of(i+1) <= of(i) })
	if of(top) <= limit {
		return 1
	}
	left := lowest(from, top, func(i int) bool { return of(i) > limit }) - 1
	right := lowest(top, to+1, func(i int) bool { return of(i) <= limit })
	sum := 0.0
	for i := left; i >= from && add(&sum, math.Exp(of(i))); i-- {
	}
	for i := right; i <= to && add(&sum, math.Exp(of(i))); i++ {
	}
	return min(sum, 1)
}

// add adds a term of a falling series to sum, and reports whether further ones
// can matter.
func add(sum *float64, term float64) bool {
	*sum += term
	return term > *sum*1e-18
}

// ShareInterval returns the interval of a probability of which s of n trials were
// successes, at level alpha (Clopper and Pearson, Biometrika 26(4), 1934). It holds
// for an n that was fixed before: see [ProbabilityInterval] for a race. Without
// trials it is 0 to 1.
func ShareInterval(s, n int, alpha float64) (lo, hi float64) {
	lo, hi = 0, 1
	if s > 0 {
		lo = ShareAbove(n, n-s+1, alpha/2) // of Beta(s, n-s+1)
	}
	if s < n {
		hi = ShareAbove(n, n-s, 1-alpha/2) // of Beta(s+1, n-s)
	}
	return lo, hi
}

// OrderInterval returns an interval of the quantile q of the values, which are in
// ascending order, at level alpha, from order statistics (David and Nagaraja,
// Order Statistics, §7.1). It needs no assumption on the distribution, and holds
// for a number of values that was fixed before: see [QuantileInterval] for one
// that grows. An end that so few values cannot bound is infinite. q lies in (0, 1).
func OrderInterval(ascending []float64, q, alpha float64) (lo, hi float64) {
	n := len(ascending)
	lo, hi = math.Inf(-1), math.Inf(1)
	// The k-th smallest lies above the quantile if fewer than k values lie below it.
	below := func(k int) float64 { return 1 - atLeast(k, n, q) } // P(at most k-1 values below)
	if k := lowest(1, n+1, func(k int) bool { return below(k) > alpha/2 }) - 1; k >= 1 {
		lo = ascending[k-1]
	}
	if k := lowest(1, n+1, func(k int) bool { return atLeast(k, n, q) <= alpha/2 }); k <= n {
		hi = ascending[k-1]
	}
	return lo, hi
}

// RatioInterval returns the interval of the ratio of two quantiles above 0 by their
// intervals. An end that is not known bounds nothing: it is 0 or infinite.
func RatioInterval(low, high, toLow, toHigh float64) (lo, hi float64) {
	lo, hi = max(low, 0)/toHigh, math.Inf(1)
	if toLow > 0 {
		hi = high / toLow
	}
	return lo, hi
}

// atLeast returns the probability of s or more successes in n trials.
func atLeast(s, n int, p float64) float64 {
	if s <= 0 {
		return 1
	}
	if p <= 0 {
		return 0
	}
	if p >= 1 {
		return 1
	}
	// The smaller tail is summed from its largest term, so that rounding stays
	// small and many trials take no longer. Each term follows from the one before.
	odds, sum := p/(1-p), 0.0
	if float64(s) > float64(n)*p {
		term := math.Exp(logBinomial(s, n, p))
		for i := s; i <= n && add(&sum, term); i++ {
			term *= odds * float64(n-i) / float64(i+1)
		}
		return min(sum, 1)
	}
	term := math.Exp(logBinomial(s-1, n, p))
	for i := s - 1; i >= 0 && add(&sum, term); i-- {
		term *= float64(i) / (float64(n-i+1) * odds)
	}
	return max(1-sum, 0)
}

// logChoose returns the logarithm of the number of choices of k of n.
func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
