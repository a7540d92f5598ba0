package loadstat

import (
	"math"

	"tokscope/metrics"
)

const (
	// Batches is the number of batch means of an Interval. Fewer give a wide
	// interval, and more are short and so depend on each other (Schmeiser 1982:
	// 10 to 30).
	Batches = 20
	// studentT is the 97.5 % quantile of Student's t with Batches − 1 degrees
	// of freedom.
	studentT = 2.0930240544
	// mostDependence is the largest serial correlation of batch means that
	// counts as none. Independent ones exceed it in 8 % of cases.
	mostDependence = 0.3
)

// Interval is the 95 % confidence interval of the mean of a figure over a
// steady state. Both ends are unknown for the same reason.
type Interval struct{ Low, High metrics.Value }

// NoInterval returns an unknown interval with its reason.
func NoInterval(why metrics.Why) Interval {
	u := metrics.Unknown(why)
	return Interval{u, u}
}

// BatchInterval returns the interval of a mean from the means of Batches
// consecutive parts of equal size, oldest first:
//
//	mean ± t(19, 0.975) · s/√20        s: standard deviation of the batch means
//
// at least 0. Consecutive requests of a load resemble each other, so their own
// spread would give too narrow an interval; the means of long batches hardly
// depend on each other. Where they still do, the interval is unknown. The check
// is von Neumann's ratio of 1941, as Law uses it for batch means:
//
//	1 − Σ(x_i − x_{i+1})² / (2·Σ(x_i − mean)²) > 0.3
//
// It is about the lag-1 autocorrelation. N of the ends is Batches.
func BatchInterval(mean metrics.Value, batches []float64) Interval {
	switch {
	case !mean.OK:
		return NoInterval(mean.Why)
	case len(batches) != Batches:
		return NoInterval(metrics.Needs(Batches))
	}
	center := 0.0
	for _, x := range batches {
		center += x / Batches
	}
	squares, steps := 0.0, 0.0
	for i, x := range batches {
		squares += (x - center) * (x - center)
		if i > 0 {
			steps += (x - batches[i-1]) * (x - batches[i-1])
		}
	}
	if squares > 0 && 1-steps/(2*squares) > mostDependence {
		return NoInterval(metrics.WhyDependent)
	}
	half := studentT * math.Sqrt(squares/(Batches-1)/Batches)
	low, high := metrics.Finite(max(mean.V-half, 0), Batches), metrics.Finite(mean.V+half, Batches)
	if !low.OK || !high.OK {
		return NoInterval(metrics.WhyTooLarge)
	}
	return Interval{low, high}
}
