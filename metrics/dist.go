package metrics

import (
	"math"
	"slices"

	"tokscope/metrics/stats"
)

// QuantileMethod names the method of every quantile of this package.
//
//	h = (n − 1)·q      i = ⌊h⌋      Q(q) = x[i] + (h − i)·(x[i+1] − x[i])
//
// over the sorted sample x[0..n). It is type 7 of Hyndman and Fan 1996,
// "Sample Quantiles in Statistical Packages". NumPy and R use it by default,
// so figures can be checked against theirs.
const QuantileMethod = "linear interpolation (Hyndman-Fan type 7)"

// A percentile is withheld unless at least one observation is expected at or
// above it: n·(1 − q) ≥ 1. Below that it is an interpolation towards the
// largest value and adds nothing to Max. For example, the "p99" of eleven
// gaps is nine tenths of the longest gap.
const (
	MinP50 = 1
	MinP90 = 10
	MinP95 = 20
	MinP99 = 100
)

// Distribution describes values. It does not modify them, and their order
// does not matter. NaN and infinities are left out. StdDev is the sample
// deviation (n − 1) and needs two values. Without values every figure is
// unknown.
func Distribution(values []float64) Dist {
	return DistributionWhy(values, WhyNoValues)
}

// DistributionWhy is Distribution with the reason for an empty one.
func DistributionWhy(values []float64, why Why) Dist {
	return sortedDist(sortedFinite(values), 1, why)
}

// sortedFinite returns the finite ones of values, ascending.
func sortedFinite(values []float64) []float64 {
	sorted := make([]float64, 0, len(values))
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			sorted = append(sorted, v)
		}
	}
	slices.Sort(sorted)
	return sorted
}

// MinMedianInterval is the number of values below which the interval of a median
// is unknown. The smallest and the largest of n values hold the median with a
// probability of 1 − 2·½ⁿ: 93.8 % of five values, 96.9 % of six.
const MinMedianInterval = 6

// medianInterval returns the 95 % confidence interval of the median of what the
// sorted values were drawn from, see stats.OrderInterval: two of the values. It
// needs no assumption on the distribution.
func medianInterval(sorted []float64) (low, high Value) {
	n := len(sorted)
	if n < MinMedianInterval {
		u := Unknown(Needs(MinMedianInterval))
		return u, u
	}
	lo, hi := stats.OrderInterval(sorted, 0.5, 0.05)
	return Known(lo, n), Known(hi, n)
}

// sortedDist describes sorted·scale; sorted holds finite numbers only.
func sortedDist(sorted []float64, scale float64, why Why) Dist {
	n := len(sorted)
	if n == 0 {
		return emptyDist(why)
	}
	at := func(h float64) float64 { return interpolate(sorted, h) * scale }
	mean, dev := moments(sorted)
	d := Dist{N: n, Method: QuantileMethod,
		Min: Finite(sorted[0]*scale, n), Max: Finite(sorted[n-1]*scale, n), Mean: Finite(mean*scale, n)}
	d.StdDev = Unknown(Needs(2))
	if n > 1 {
		d.StdDev = Finite(dev*scale, n)
	}
	last := float64(n - 1)
	d.P50 = percentile(n, MinP50, at(last*0.50))
	d.P90 = percentile(n, MinP90, at(last*0.90))
	d.P95 = percentile(n, MinP95, at(last*0.95))
	d.P99 = percentile(n, MinP99, at(last*0.99))
	return d
}

func percentile(n, min int, v float64) Value {
	if n < min {
		return Unknown(Needs(min))
	}
	return Finite(v, n)
}

func emptyDist(why Why) Dist {
	u := Unknown(why)
	return Dist{Min: u, Mean: u, P50: u, P90: u, P95: u, P99: u, Max: u, StdDev: u, Method: QuantileMethod}
}

// Quantile returns the q-quantile (0..1) of sorted by QuantileMethod. sorted
// must be ascending and not empty. The result lies within [sorted[0],
// sorted[n-1]] and never falls when q grows.
func Quantile(sorted []float64, q float64) float64 {
	if !(q > 0) {
		q = 0
	}
	return interpolate(sorted, min(q, 1)*float64(len(sorted)-1))
}

// interpolate returns sorted at the fractional index h in [0, n-1].
func interpolate(sorted []float64, h float64) float64 {
	i := int(h)
	if i >= len(sorted)-1 {
		return sorted[len(sorted)-1]
	}
	return Between(sorted[i], sorted[i+1], h-float64(i))
}

// Between returns the point f (0..1) of the way from a to b ≥ a.
func Between(a, b, f float64) float64 {
	d := b - a
	if math.IsInf(d, 0) { // a and b at the two ends of the float64 range
		return a*(1-f) + b*f
	}
	return min(a+d*f, b)
}

// moments returns mean and sample standard deviation of x, which is not
// empty. Where the sums would overflow, moments scales x by 1/2^k.
func moments(x []float64) (mean, dev float64) {
	lo, hi := slices.Min(x), slices.Max(x)
	scale := 1.0
	if top := max(math.Abs(lo), math.Abs(hi)); top > 1e140 {
		scale = math.Ldexp(1, math.Ilogb(top))
	}
	for _, v := range x {
		mean += v / scale
	}
	mean /= float64(len(x))
	if len(x) > 1 {
		for _, v := range x {
			d := v/scale - mean
			dev += d * d
		}
		dev = math.Sqrt(dev / float64(len(x)-1))
	}
	// Rounding must not carry the mean out of the sample.
	return min(max(mean*scale, lo), hi), dev * scale
}

// Finite returns v as a known value, or an unknown one if v is NaN or
// infinite. Every quotient that leaves this package passes through it.
func Finite(v float64, n int) Value {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Unknown(WhyNotFinite)
	}
	return Known(v, n)
}
