package format

import (
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/slo"
)

// Reason writes a figure without a value: "–" and, in brackets, the reason.
func Reason(v metrics.Value) string {
	if v.Why == 0 {
		return Unknown
	}
	return Unknown + " (" + Why(v.Why) + ")"
}

// Known is the text that write returns for a known figure, else "–".
func Known(v metrics.Value, write func(float64) string) string {
	if !v.OK {
		return Unknown
	}
	return write(v.V)
}

// KnownOr is Known with the reason after the dash.
func KnownOr(v metrics.Value, write func(float64) string) string {
	if !v.OK {
		return Reason(v)
	}
	return write(v.V)
}

// SLOs writes objectives as --slo takes them.
func SLOs(slos []slo.Objective) string {
	parts := make([]string, len(slos))
	for i, o := range slos {
		parts[i] = o.String()
	}
	return strings.Join(parts, ",")
}

// Range writes two figures of one kind, with a common unit written once: "276
// … 301 ms", "998 ms … 1.20 s".
func Range(lo, hi float64, write func(float64) string) string {
	a, b := write(lo), write(hi)
	if number, unit, ok := strings.Cut(a, " "); ok && strings.HasSuffix(b, " "+unit) {
		a = number
	}
	return a + " … " + b
}

// KnownRange is Range, or "–" if one of the two is unknown.
func KnownRange(lo, hi metrics.Value, write func(float64) string) string {
	if !lo.OK || !hi.OK {
		return Unknown
	}
	return Range(lo.V, hi.V, write)
}

// Objectives writes objectives for a person: "ttft ≤ 500 ms and speed ≥ 25 tok/s".
func Objectives(slos []slo.Objective) string {
	parts := make([]string, len(slos))
	for i, o := range slos {
		if o.AtLeast {
			parts[i] = o.Name + " ≥ " + Exact(o.Limit) + " tok/s"
		} else {
			parts[i] = o.Name + " ≤ " + Limit(o.Limit)
		}
	}
	return strings.Join(parts, " and ")
}
