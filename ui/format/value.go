package format

import (
	"math"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/figure"
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

// Bounded writes a percentile. Where unknown gaps could visibly move it, it is
// written as the largest that it can be: "≤99.5 ms".
func Bounded(v metrics.Value, b metrics.Bound, write func(float64) string) string {
	if v.OK && b.Wide() {
		return AtMost + write(b.High)
	}
	return Known(v, write)
}

// Waiting writes a percentile of a wait in ms without its unit, or its lower bound
// where so many still wait that this one stands for it: "≥12,300". The bound is
// rounded down.
func Waiting(v, atLeast metrics.Value) string {
	if atLeast.OK {
		return AtLeast + Number(roundedDown(atLeast.V, 1))
	}
	return Known(v, Number)
}

// Failing writes a percentile in which requests that failed count as waits without an
// end: "> all" where it lies among these.
func Failing(v metrics.Value, write func(float64) string) string {
	return Either(v.Why == metrics.WhyFailed, BeyondAll, Known(v, write))
}

// BeyondAll stands for a percentile that is larger than all values.
const BeyondAll = "> all"

// DownMs rounds a time in ms down to the digits that Ms writes.
func DownMs(ms float64) float64 {
	switch {
	case ms >= fromHour:
		return roundedDown(ms, msHour)
	case ms >= fromMinute:
		return roundedDown(ms, msMinute)
	}
	return roundedDown(ms, 1)
}

// roundedDown rounds v ≥ 0 down to three significant digits of its number of units.
func roundedDown(v, unit float64) float64 {
	if !(v > 0) || math.IsInf(v, 0) {
		return v
	}
	digit := math.Pow(10, math.Floor(math.Log10(v/unit))-2) * unit
	if !(digit > 0) {
		return v
	}
	return math.Floor(v/digit*(1+1e-12)) * digit
}

// AtLeast is the sign before a figure that is a lower bound.
const AtLeast = "≥"

// AtMost is the sign before a figure that is an upper bound.
const AtMost = "≤"

// byUnit write a value of each unit.
var byUnit = [...]func(b []byte, v float64) []byte{
	figure.Ms: AppendMs, figure.Number: AppendWhole, figure.Ratio: AppendNumber, figure.Times: AppendFactor,
	figure.Share: AppendPercent, figure.Money: AppendMoney,
	figure.Percent:         func(b []byte, v float64) []byte { return AppendChange(b, v/100) },
	figure.TokensPerSecond: func(b []byte, v float64) []byte { return append(AppendNumber(b, v), " tok/s"...) },
	figure.ChunksPerSecond: func(b []byte, v float64) []byte { return append(AppendNumber(b, v), " chunks/s"...) },
	figure.WordsPerMinute:  func(b []byte, v float64) []byte { return append(AppendNumber(b, v), " wpm"...) },
}

// AppendFigure appends a value of a figure with its unit; a count has none.
func AppendFigure(b []byte, id figure.ID, v float64) []byte { return byUnit[figure.Of(id).Unit](b, v) }
