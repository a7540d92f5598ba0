package dialect

import (
	"math"
	"strconv"
)

// asFloat decodes a number, or a number in a string ("0.09"). ok is false for
// everything else and for infinite values.
func asFloat(raw []byte) (v float64, ok bool) {
	if n := len(raw); n >= 2 && raw[0] == '"' {
		raw = raw[1 : n-1]
	}
	if len(raw) == 0 || len(raw) > 40 {
		return 0, false
	}
	if c := raw[0]; c != '-' && (c < '0' || c > '9') {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, false
	}
	return v, true
}

// asCount decodes a whole number from 0 to 1e15, written as an integer, a
// float or a string. It returns -1 for everything else.
func asCount(raw []byte) int {
	n := 0
	if len(raw) > 0 && len(raw) < 16 {
		for _, c := range raw {
			if c -= '0'; c > 9 {
				n = -1
				break
			}
			n = n*10 + int(c)
		}
		if n >= 0 {
			return n
		}
	}
	v, ok := asFloat(raw)
	if !ok || v < 0 || v > 1e15 || v != math.Trunc(v) {
		return -1
	}
	return int(v)
}
