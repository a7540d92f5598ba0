package metrics

import (
	"math"
	"slices"

	"tokscope/metrics/stats"
)

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
	d := shape{n: len(sorted), method: stats.QuantileMethod}
	if d.n > 0 {
		d.min, d.max = sorted[0], sorted[d.n-1]
		d.mean, d.deviation = moments(sorted)
		for k, q := range levels {
			d.q[k] = stats.Quantile(sorted, q)
		}
	}
	return d.dist(scale, why)
}

// weightedDist describes the expanded sample: every V·scale of the ascending x
// repeated W times. Its N is the number of entries, and decides which percentiles
// are given: the tokens of one gap are one measurement, not many.
func weightedDist(x []stats.Weighted, scale float64, why Why) Dist {
	d := shape{n: len(x), method: stats.QuantileMethod}
	if d.n > 0 {
		d.min, d.max = x[0].V, x[d.n-1].V
		d.mean, d.deviation = stats.WeightedFigures(x)
		stats.WeightedQuantiles(x, levels[:], d.q[:])
	}
	return d.dist(scale, why)
}

// shape is what a Dist is made of: the figures of n measurements.
type shape struct {
	n                         int
	min, mean, deviation, max float64
	q                         [len(levels)]float64
	method                    string
}

// dist returns the Dist with all figures times scale; why is the reason when it is
// empty.
func (s *shape) dist(scale float64, why Why) Dist {
	if s.n == 0 {
		d := emptyDist(why)
		d.Method = s.method
		return d
	}
	known := func(v float64) Value { return Finite(v*scale, s.n) }
	d := Dist{N: s.n, Method: s.method,
		Min: known(s.min), Max: known(s.max), Mean: known(s.mean), StdDev: Unknown(Needs(2))}
	if s.n > 1 {
		d.StdDev = known(s.deviation)
	}
	for k, p := range percentiles(&d.P50, &d.P90, &d.P95, &d.P99) {
		if *p.to = known(s.q[k]); s.n < p.least {
			*p.to = Unknown(Needs(p.least))
		}
	}
	return d
}

// percentile is one of levels, and the number of values that it needs.
type percentile struct {
	to    *Value
	least int
}

// percentiles are those of levels.
func percentiles(p50, p90, p95, p99 *Value) [len(levels)]percentile {
	return [...]percentile{{p50, MinP50}, {p90, MinP90}, {p95, MinP95}, {p99, MinP99}}
}

func emptyDist(why Why) Dist {
	u := Unknown(why)
	return Dist{Min: u, Mean: u, P50: u, P90: u, P95: u, P99: u, Max: u, StdDev: u, Method: stats.QuantileMethod}
}

// Median returns the median of x, unknown for that reason without any. It changes
// the order of x.
func Median(x []float64, none Why) Value {
	if len(x) == 0 {
		return Unknown(none)
	}
	return Finite(stats.Median(x), len(x))
}

// Mean returns the mean of x, unknown for that reason without any.
func Mean(x []float64, none Why) Value {
	if len(x) == 0 {
		return Unknown(none)
	}
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return Known(sum/float64(len(x)), len(x))
}

// Middle gathers values for their median. The zero Middle is empty and ready.
type Middle struct {
	known []float64
	why   Why
}

// Reset empties m and keeps its memory.
func (m *Middle) Reset() { m.known, m.why = m.known[:0], 0 }

// Add takes v if it is known and finite, else its reason if it is the first.
func (m *Middle) Add(v Value) {
	if v.OK {
		v = Finite(v.V, v.N)
	}
	switch {
	case v.OK:
		m.known = append(m.known, v.V)
	case m.why == 0:
		m.why = v.Why
	}
}

// Median returns the median of the known values; N is their number. Without one it
// is unknown for the first reason, and for the reason none without any.
func (m *Middle) Median(none Why) Value {
	if m.why != 0 {
		none = m.why
	}
	return Median(m.known, none)
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

// OrNaN returns the number of v, NaN where it is unknown.
func (v Value) OrNaN() float64 {
	if !v.OK {
		return math.NaN()
	}
	return v.V
}

// Finite returns v as a known value, or an unknown one if v is NaN or
// infinite. Every quotient that leaves this package passes through it.
func Finite(v float64, n int) Value {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Unknown(WhyNotFinite)
	}
	return Known(v, n)
}
