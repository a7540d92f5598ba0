package format

import (
	"math"
	"strconv"
)

// AppendPercent appends a share, 0 to 1 and above, in whole percent. Only
// nothing is "0 %" and only all is "100 %": a share between is at least "<1
// %" and at most ">99 %". A share below 0 is 0; above 999 % it is ">999 %".
// NaN is "–". It takes 6 columns at most.
func AppendPercent(b []byte, share float64) []byte {
	switch n := share * 100; {
	case math.IsNaN(n):
		return append(b, Unknown...)
	case n > 0 && n < 1:
		return append(b, "<1 %"...)
	case n > 99 && n < 100:
		return append(b, ">99 %"...)
	case n >= 999.5:
		return append(b, ">999 %"...)
	default:
		return append(strconv.AppendInt(b, int64(math.Round(max(n, 0))), 10), " %"...)
	}
}

// AppendChange appends the relative change of a figure with its sign: "+12
// %", "−3 %". A change of less than a percent has no sign, "<1 %", because
// the sign means nothing. No change is "0 %". Beyond "+999 %" and "−999 %" it
// is ">+999 %" and "<−999 %". NaN is "–". It takes 7 columns at most.
func AppendChange(b []byte, change float64) []byte {
	switch n := change * 100; {
	case math.IsNaN(n):
		return append(b, Unknown...)
	case n == 0:
		return append(b, "0 %"...)
	case math.Abs(n) < 1:
		return append(b, "<1 %"...)
	case n >= 999.5:
		return append(b, ">+999 %"...)
	case n <= -999.5:
		return append(b, "<"+Minus+"999 %"...)
	case n > 0:
		return append(strconv.AppendInt(append(b, '+'), int64(math.Round(n)), 10), " %"...)
	default:
		return append(strconv.AppendInt(append(b, Minus...), int64(math.Round(-n)), 10), " %"...)
	}
}

// Ratio writes a ratio from 0 to 1 with two decimals. Only nothing is "0" and only
// all is "1": a ratio between is at least "<0.01" and at most "0.99". NaN is "–".
func Ratio(v float64) string {
	switch {
	case math.IsNaN(v):
		return Unknown
	case v <= 0:
		return "0"
	case v >= 1:
		return "1"
	case v < 0.01:
		return "<0.01"
	}
	return strconv.FormatFloat(min(v, 0.99), 'f', 2, 64)
}

// AppendFactor appends a factor from 0 on between two figures: "0.4x", "7.1x",
// "28x". Both figures are visible as well, so one decimal is enough, and none from
// 10 on. A factor below 0.05 that is not 0 is "<0.1x", one from 999.5 on
// ">999x". NaN is "–x". It takes 5 columns at most.
func AppendFactor(b []byte, v float64) []byte {
	switch v = max(v, 0); {
	case v == 0 || math.IsNaN(v):
		b = AppendNumber(b, v)
	case v >= 999.5:
		b = append(b, ">999"...)
	case v < 0.05:
		b = append(b, "<0.1"...)
	default:
		b = strconv.AppendFloat(b, v, 'f', Either(v < 9.95, 1, 0), 64)
	}
	return append(b, 'x')
}

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
