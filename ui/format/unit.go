package format

import (
	"math"
	"strconv"
)

// prefixes are the prefixes of units, each a thousand times the one before.
const prefixes = "kMGTPE"

// AppendAmount appends an amount of a unit with three significant digits and
// the prefix that keeps it short: "15.0 GB", "131 kB", "512 B", "7.92
// PFLOP/s". Below the first prefix a whole number stays whole. An amount
// below 0 is 0; the range ends at ">999 E". NaN is "–".
func AppendAmount(b []byte, v float64, unit string) []byte {
	if math.IsNaN(v) {
		return append(b, Unknown...)
	}
	v = max(v, 0)
	if v < 999.5 {
		if v == math.Trunc(v) {
			b = strconv.AppendInt(b, int64(v), 10)
		} else {
			b = AppendNumber(b, v)
		}
		return append(append(b, ' '), unit...)
	}
	i := 0
	for v /= 1e3; v >= 999.5 && i < len(prefixes)-1; v /= 1e3 {
		i++
	}
	if v >= 999.5 {
		b, v = append(b, '>'), 999
	}
	b = strconv.AppendFloat(b, v, 'f', decimals(v), 64)
	return append(append(b, ' ', prefixes[i]), unit...)
}

// Rate is a measured speed in tokens per second: "4,110 tok/s".
func Rate(v float64) string { return Number(v) + " tok/s" }

// AppendMoney appends a cost without its currency. It has two decimals from
// 10 on, three from 0.01 on, else six; "0" is nothing. NaN is "–". The range
// ends at ±10¹⁵.
func AppendMoney(b []byte, v float64) []byte {
	if math.IsNaN(v) {
		return append(b, Unknown...)
	}
	a := min(math.Abs(v), 1e15)
	switch {
	case a == 0:
		return append(b, '0')
	case a < 0.5e-6 && v < 0:
		return append(b, ">"+Minus+"0.000001"...)
	case a < 0.5e-6:
		return append(b, "<0.000001"...)
	case v < 0:
		b = append(b, Minus...)
	}
	switch {
	case a < 0.0099995:
		return strconv.AppendFloat(b, a, 'f', 6, 64)
	case a < 9.9995:
		return strconv.AppendFloat(b, a, 'f', 3, 64)
	}
	cents := uint64(math.Round(a * 100))
	return appendTwo(append(appendGrouped(b, cents/100), '.'), int(cents%100))
}
