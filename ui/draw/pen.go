package draw

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// Fit is how many bytes of text fit into w columns, cut at a blank where there
// is one.
func Fit(text string, w int) int {
	used, blank, end := 0, 0, 0
	for i := 0; i < len(text); i = end {
		r, n := utf8.DecodeRuneInString(text[i:])
		if used += Width(text[i : i+n]); used > w {
			if r == ' ' || blank == 0 {
				return i
			}
			return blank
		}
		if end = i + n; r == ' ' {
			blank = i
		}
	}
	return len(text)
}

// AppendDuration writes ms with three digits at most where they matter, and
// returns the unit apart: "0.42" ms, "6.8" ms, "412" ms, "1.24" s, "12.4" s,
// "123" s. What is no number is 0, and nothing is above 10¹² s.
func AppendDuration(b []byte, ms float64) (_ []byte, unit string) {
	if math.IsNaN(ms) {
		ms = 0
	}
	if ms < 0 {
		b, ms = append(b, '-'), -ms
	}
	switch ms = min(ms, 1e15); {
	case ms < 0.995:
		return strconv.AppendFloat(b, ms, 'f', 2, 64), "ms"
	case ms < 9.95:
		return strconv.AppendFloat(b, ms, 'f', 1, 64), "ms"
	case ms < 999.5:
		return strconv.AppendFloat(b, ms, 'f', 0, 64), "ms"
	case ms < 9995:
		return strconv.AppendFloat(b, ms/1e3, 'f', 2, 64), "s"
	case ms < 99950:
		return strconv.AppendFloat(b, ms/1e3, 'f', 1, 64), "s"
	}
	return strconv.AppendFloat(b, ms/1e3, 'f', 0, 64), "s"
}
