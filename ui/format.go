package ui

import (
	"strconv"
	"strings"

	"tokscope/metrics"
)

// ms writes a time given in milliseconds with about three digits and its unit:
// "0.42 ms", "6.8 ms", "412 ms", "1.24 s", "12.4 s".
func ms(v float64) string {
	switch {
	case v < 0:
		return "-" + ms(-v)
	case v < 0.995:
		return fixed(v, 2) + " ms"
	case v < 9.95:
		return fixed(v, 1) + " ms"
	case v < 999.5:
		return fixed(v, 0) + " ms"
	case v < 9995:
		return fixed(v/1e3, 2) + " s"
	case v < 99950:
		return fixed(v/1e3, 1) + " s"
	}
	return fixed(v/1e3, 0) + " s"
}

// number writes a count or a speed: "6.8", "147".
func number(v float64) string {
	if v < 9.95 && v != float64(int(v)) {
		return fixed(v, 1)
	}
	return fixed(v, 0)
}

func fixed(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }

// unknown is how a value without a value is written, with its reason.
func unknown(v metrics.Value) string {
	if v.Why == "" {
		return "–"
	}
	return "– (" + v.Why + ")"
}

// timeOf writes a figure that is a time, speedOf one that is tok/s.
func timeOf(v metrics.Value) string {
	if !v.OK {
		return unknown(v)
	}
	return ms(v.V)
}

func speedOf(v metrics.Value) string {
	if !v.OK {
		return unknown(v)
	}
	return number(v.V) + " tok/s"
}

// words joins what is not empty with sep.
func words(sep string, parts ...string) string {
	out := parts[:0:0]
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, sep)
}

// plural writes n things.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
