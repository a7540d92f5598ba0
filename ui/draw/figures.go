package draw

import (
	"strconv"

	"tokscope/metrics"
	"tokscope/ui/format"
)

// Unknown is the text of a figure without a value.
const Unknown = format.Unknown

// The figures of a frame. Package format writes them, the Canvas keeps them.

// Known is a known figure as write appends it, or "–".
func (p *Canvas) Known(v metrics.Value, write func([]byte, float64) []byte) string {
	if !v.OK {
		return Unknown
	}
	return p.Keep(write(p.num[:0], v.V))
}

// Int is a number that names something, such as a user or a status; it has no
// commas.
func (p *Canvas) Int(n int) string { return p.Keep(strconv.AppendInt(p.num[:0], int64(n), 10)) }

// Count and those that follow are what format's functions of their names write.
// Elapsed is whole seconds with their unit.
func (p *Canvas) Count(n int) string           { return p.Keep(format.AppendCount(p.num[:0], n)) }
func (p *Canvas) Whole(v float64) string       { return p.Keep(format.AppendWhole(p.num[:0], v)) }
func (p *Canvas) Number(v float64) string      { return p.Keep(format.AppendNumber(p.num[:0], v)) }
func (p *Canvas) Exact(v float64) string       { return p.Keep(format.AppendExact(p.num[:0], v)) }
func (p *Canvas) Ms(ms float64) string         { return p.Keep(format.AppendMs(p.num[:0], ms)) }
func (p *Canvas) Percent(share float64) string { return p.Keep(format.AppendPercent(p.num[:0], share)) }
func (p *Canvas) Elapsed(seconds float64) string {
	return p.Keep(format.AppendElapsed(p.num[:0], seconds))
}
func (p *Canvas) Amount(v float64, unit string) string {
	return p.Keep(format.AppendAmount(p.num[:0], v, unit))
}

// WholeOf, NumberOf, PercentOf and Duration, of ms, write a known figure, or "–".
func (p *Canvas) WholeOf(v metrics.Value) string   { return p.Known(v, format.AppendWhole) }
func (p *Canvas) NumberOf(v metrics.Value) string  { return p.Known(v, format.AppendNumber) }
func (p *Canvas) PercentOf(v metrics.Value) string { return p.Known(v, format.AppendPercent) }
func (p *Canvas) Duration(v metrics.Value) string  { return p.Known(v, format.AppendMs) }

// Bounded is format.Bounded of a time.
func (p *Canvas) Bounded(v metrics.Value, b metrics.Bound) string {
	if v.OK && b.Wide() {
		return p.Join(format.AtMost, p.Ms(b.High))
	}
	return p.Duration(v)
}

// Waiting is format.Waiting with its unit.
func (p *Canvas) Waiting(v, atLeast metrics.Value) string {
	if atLeast.OK {
		return p.Join(format.AtLeast, p.Ms(format.DownMs(atLeast.V)))
	}
	return p.Duration(v)
}

// Failing is format.Failing of a time.
func (p *Canvas) Failing(v metrics.Value) string {
	return format.Either(v.Why == metrics.WhyFailed, format.BeyondAll, p.Duration(v))
}

// Stopwatch is a running time with its unit: format.AppendStopwatch.
func (p *Canvas) Stopwatch(ms float64) string {
	b, unit := format.AppendStopwatch(p.num[:0], ms)
	return p.Keep(append(append(b, ' '), unit...))
}

// Plural is a count with its noun: format.Plural.
func (p *Canvas) Plural(n int, one, many string) string {
	return p.Join(p.Count(n), " ", format.Either(n == 1, one, many))
}
