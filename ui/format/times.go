package format

import (
	"math"
	"strconv"
)

// TimesRange writes a ratio with its 95 % interval: "2.1x (1.9–2.3)". It has
// two decimals where one would hide the interval's width.
func TimesRange(ratio, low, high float64) string {
	return Times(ratio, low, high) + " (" + TimesInterval(ratio, low, high) + ")"
}

// Times writes the ratio alone: "2.1x".
func Times(ratio, low, high float64) string {
	return timesWith(ratio, timesDecimals(ratio, low, high)) + "x"
}

// TimesInterval writes the interval alone: "1.9–2.3".
func TimesInterval(ratio, low, high float64) string {
	n := timesDecimals(ratio, low, high)
	return Range(low, high, func(v float64) string { return timesWith(v, n) })
}

// timesDecimals are the digits after the point of a ratio and its interval.
func timesDecimals(ratio, low, high float64) int {
	switch {
	case ratio >= 9.95:
		return 0
	case high-low < 0.2 || ratio < 1.2:
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
