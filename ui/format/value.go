package format

import (
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/metrics/slo"
)

// Reason writes a figure without a value: "–" and, in brackets, the reason.
func Reason(v metrics.Value) string {
	return Unknown + If(v.Why != 0, " ("+Why(v.Why)+")")
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
	return Either(v.OK, Known(v, write), Reason(v))
}

// SLOs writes objectives as --slo takes them.
func SLOs(slos []slo.Objective) string {
	return strings.Join(pick.Each(slos, func(o *slo.Objective) string { return o.String() }), ",")
}

// Range writes two figures of one kind, with a common unit written once:
// "276–301 ms", "998 ms – 1.20 s". It is the only writer of ranges.
func Range(lo, hi float64, write func(float64) string) string {
	a, b := write(lo), write(hi)
	number := withoutUnitOf(a, b)
	if number == a && strings.Contains(a, " ") || strings.HasPrefix(b, Minus) {
		return a + " – " + b
	}
	return number + "–" + b
}

// Span is Range of what may be one figure: "200" for 200 and 200.
func Span(lo, hi float64, write func(float64) string) string {
	if text := write(lo); text == write(hi) {
		return text
	}
	return Range(lo, hi, write)
}

// PartOf writes a part of a whole, with a common unit written once: "289 of 290
// ms", "950 ms of 1.20 s".
func PartOf(part, whole float64, write func(float64) string) string {
	a, b := write(part), write(whole)
	return withoutUnitOf(a, b) + " of " + b
}

// withoutUnitOf returns a without its unit, where b has the same.
func withoutUnitOf(a, b string) string {
	if number, unit, ok := strings.Cut(a, " "); ok && strings.HasSuffix(b, " "+unit) {
		return number
	}
	return a
}

// KnownRange is Range, or "–" if one of the two is unknown.
func KnownRange(lo, hi metrics.Value, write func(float64) string) string {
	return Either(lo.OK && hi.OK, Range(lo.V, hi.V, write), Unknown)
}

// Objectives writes objectives for a person: "ttft ≤ 500 ms and speed ≥ 25 tok/s".
func Objectives(slos []slo.Objective) string {
	return strings.Join(pick.Each(slos, func(o *slo.Objective) string {
		return o.Name + Either(o.AtLeast, " ≥ "+Exact(o.Limit)+" tok/s", " ≤ "+Limit(o.Limit))
	}), " and ")
}
