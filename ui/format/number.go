package format

import (
	"math"
	"strconv"

	"tokscope/metrics/figure"
)

// Unknown is the text of a figure without a value.
const Unknown = "–"

// Minus is the sign of every number below 0. ASCII writes it as "-".
const Minus = "−"

// most is the largest number; above it the text says "larger than".
const most = 999.5e12

// AppendNumber appends a measured number with three significant digits:
// "0.042", "6.84", "28.3", "147", "4,110", "12,300", "1.23M". A number below
// 0.0005 that is not 0 is "<0.001", one above 999 T is ">999T". NaN is "–". A number
// from 0 on takes 7 columns at most, a negative one 8.
func AppendNumber(b []byte, v float64) []byte {
	if math.IsNaN(v) {
		return append(b, Unknown...)
	}
	a := math.Abs(v)
	switch {
	case a == 0:
		return append(b, '0')
	case a < 0.0005 && v < 0:
		return append(b, ">"+Minus+"0.001"...)
	case a < 0.0005:
		return append(b, "<0.001"...)
	case a >= most && v < 0:
		return append(b, "<"+Minus+"999T"...)
	case a >= most:
		return append(b, ">999T"...)
	}
	if v < 0 {
		b = append(b, Minus...)
	}
	switch {
	case a < 999.5:
		return strconv.AppendFloat(b, a, 'f', decimals(a), 64)
	case a < 9_995:
		return appendGrouped(b, uint64(math.Round(a/10))*10)
	case a < 99_950:
		return appendGrouped(b, uint64(math.Round(a/100))*100)
	case a < 999_500:
		return appendGrouped(b, uint64(math.Round(a/1000))*1000)
	}
	prefix := "MGT"
	for a /= 1e6; a >= 999.5; a /= 1e3 {
		prefix = prefix[1:]
	}
	return append(strconv.AppendFloat(b, a, 'f', decimals(a), 64), prefix[0])
}

// decimals is the number of digits after the point that give a three
// significant ones, for a from 0.0005 to 999.5. It is at most 3.
func decimals(a float64) int {
	switch {
	case a < 0.9995:
		return 3
	case a < 9.995:
		return 2
	case a < 99.95:
		return 1
	}
	return 0
}

// text is what write appends, as a string.
func text(write func([]byte, float64) []byte, v float64) string {
	var room [48]byte
	return string(write(room[:0], v))
}

// Number and those that follow return what the Append function of their name appends.
func Number(v float64) string               { return text(AppendNumber, v) }
func Whole(v float64) string                { return text(AppendWhole, v) }
func Exact(v float64) string                { return text(AppendExact, v) }
func Count(n int) string                    { return string(AppendCount(make([]byte, 0, 32), n)) }
func Amount(v float64, unit string) string  { return string(AppendAmount(make([]byte, 0, 32), v, unit)) }
func Money(v float64) string                { return text(AppendMoney, v) }
func Percent(share float64) string          { return text(AppendPercent, share) }
func Change(change float64) string          { return text(AppendChange, change) }
func Factor(v float64) string               { return text(AppendFactor, v) }
func Ms(ms float64) string                  { return text(AppendMs, ms) }
func Limit(ms float64) string               { return text(AppendLimit, ms) }
func Figure(id figure.ID, v float64) string { return text(byUnit[figure.Of(id).Unit], v) }

// Digits rounds a finite number above 0 to n significant digits, and leaves others as
// they are.
func Digits(v float64, n int) float64 {
	if !(v > 0) || math.IsInf(v, 1) {
		return v
	}
	unit := math.Pow(10, math.Floor(math.Log10(v))-float64(n-1))
	return math.Round(v/unit) * unit
}

// AppendCount appends a number of whole things, exact and with commas:
// "12,345".
func AppendCount(b []byte, n int) []byte {
	if n < 0 {
		return appendGrouped(append(b, Minus...), -uint64(n))
	}
	return appendGrouped(b, uint64(n))
}

// AppendWhole appends a count that is kept as a float, rounded to a whole
// number. NaN is "–". The range ends at ±10¹⁵, from where floats have gaps.
func AppendWhole(b []byte, v float64) []byte {
	if math.IsNaN(v) {
		return append(b, Unknown...)
	}
	return AppendCount(b, int(math.Round(min(max(v, -1e15), 1e15))))
}

// appendGrouped appends n with a comma before every three digits.
func appendGrouped(b []byte, n uint64) []byte {
	var digits [20]byte
	d := strconv.AppendUint(digits[:0], n, 10)
	for i, c := range d {
		if i > 0 && (len(d)-i)%3 == 0 {
			b = append(b, ',')
		}
		b = append(b, c)
	}
	return b
}

// AppendExact appends a chosen number, a setting or a limit, with all its
// digits, at most six after the point, and commas: "0.5", "238", "1,000". NaN
// is "–". The range ends at ±10¹⁵.
func AppendExact(b []byte, v float64) []byte {
	if math.IsNaN(v) {
		return append(b, Unknown...)
	}
	const parts = 1e6
	switch v = min(max(v, -1e15), 1e15); {
	case v > 0 && v < 0.5/parts:
		return append(b, "<0.000001"...)
	case v < 0 && v > -0.5/parts:
		return append(b, ">"+Minus+"0.000001"...)
	case v < 0:
		b, v = append(b, Minus...), -v
	}
	whole, part := math.Modf(v)
	n := uint64(math.Round(part * parts))
	if n == parts {
		whole, n = whole+1, 0
	}
	b = appendGrouped(b, uint64(whole))
	if n == 0 {
		return b
	}
	b = append(b, '.')
	for d := uint64(parts / 10); n > 0; d /= 10 {
		b = append(b, byte('0'+n/d))
		n %= d
	}
	return b
}

// Asked writes what a ramp asks for at a moment, users or a rate: a whole number
// exactly, another one with three digits.
func Asked(v float64) string {
	return Either(v == math.Trunc(v), Exact, Number)(v)
}
