package format

import (
	"math"
	"strconv"
)

// TimesRange writes a ratio with its 95 % interval, where it has one: "2.1x (1.9–2.3)". It has
// two decimals where one would hide the interval's width.
func TimesRange(ratio, low, high float64) string {
	return Beside(Times(ratio, low, high), TimesInterval(ratio, low, high))
}

// Beside writes an interval, which may be "", in brackets behind its value.
func Beside(value, interval string) string { return value + If(interval != "", " ("+interval+")") }

// Times writes the ratio alone: "2.1x". Without an interval high is 0, or infinite.
func Times(ratio, low, high float64) string {
	return timesWith(ratio, timesDecimals(ratio, low, high)) + "x"
}

// TimesInterval writes the interval alone, as Interval does: "1.9–2.3".
func TimesInterval(ratio, low, high float64) string {
	if !(low > 0) || math.IsInf(high, 1) { // the digits of the end that it has
		ratio = Either(low > 0, low, high)
	}
	n := timesDecimals(ratio, low, high)
	return Interval(low, high, func(v float64) string { return timesWith(v, n) })
}

// Interval writes an interval, of which an end is not bounded where it is 0 or infinite: "1.9–2.3
// ms", "at least 1.9 ms", "at most 2.3 ms"; "" without an end.
func Interval(low, high float64, write func(float64) string) string {
	switch below, above := low > 0, high > 0 && !math.IsInf(high, 1); {
	case below && above:
		return Range(low, high, write)
	case below:
		return "at least " + write(low)
	case above:
		return "at most " + write(high)
	}
	return ""
}

// timesDecimals are the digits after the point of a ratio and its interval.
func timesDecimals(ratio, low, high float64) int {
	switch {
	case ratio >= 9.95:
		return 0
	case high > 0 && high-low < 0.2 || ratio < 1.2:
		return 2
	}
	return 1
}

// timesWith writes a factor with n decimals, and its bounds where the digits would
// hide it.
func timesWith(v float64, n int) string {
	least := math.Pow10(-n)
	switch {
	case math.IsNaN(v):
		return Unknown
	case v >= 999.5:
		return ">999"
	case v > 0 && v < least/2:
		return "<" + strconv.FormatFloat(least, 'f', n, 64)
	}
	return strconv.FormatFloat(v, 'f', n, 64)
}
