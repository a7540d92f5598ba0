package format

import (
	"math"

	"tokscope/metrics"
)

// Bounded writes a percentile. Where unknown gaps could visibly move it, it is
// written as the largest that it can be: "≤99.5 ms".
func Bounded(v metrics.Value, b metrics.Bound, write func(float64) string) string {
	if v.OK && b.Wide() {
		return AtMost + write(b.High)
	}
	return Known(v, write)
}

// Waiting writes a percentile of a wait in ms without its unit, or its lower bound
// where so many still wait that this one stands for it: "≥12,300". The bound is
// rounded down.
func Waiting(v, atLeast metrics.Value) string {
	if atLeast.OK {
		return AtLeast + Number(roundedDown(atLeast.V, 1))
	}
	return Known(v, Number)
}

// Failing writes a percentile in which requests that failed count as waits without an
// end: "> all" where it lies among these.
func Failing(v metrics.Value, write func(float64) string) string {
	return Either(v.Why == metrics.WhyFailed, BeyondAll, Known(v, write))
}

// BeyondAll stands for a percentile that is larger than all values.
const BeyondAll = "> all"

// DownMs rounds a time in ms down to the digits that Ms writes.
func DownMs(ms float64) float64 {
	switch {
	case ms >= fromHour:
		return roundedDown(ms, msHour)
	case ms >= fromMinute:
		return roundedDown(ms, msMinute)
	}
	return roundedDown(ms, 1)
}

// roundedDown rounds v ≥ 0 down to three significant digits of its number of units.
func roundedDown(v, unit float64) float64 {
	if !(v > 0) || math.IsInf(v, 0) {
		return v
	}
	digit := math.Pow(10, math.Floor(math.Log10(v/unit))-2) * unit
	if !(digit > 0) {
		return v
	}
	return math.Floor(v/digit*(1+1e-12)) * digit
}

// AtLeast is the sign before a figure that is a lower bound.
const AtLeast = "≥"

// AtMost is the sign before a figure that is an upper bound.
const AtMost = "≤"
