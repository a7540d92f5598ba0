package draw

import (
	"strconv"

	"tokscope/metrics"
)

// Unknown is how a value without a value is written.
const Unknown = "–"

// The figures of a frame. Package format writes them, the Canvas keeps them.

// Int is a number that names something, such as a user or a status; it has no
// commas.
func (p *Canvas) Int(n int) string { return p.Keep(strconv.AppendInt(p.num[:0], int64(n), 10)) }

// Ms is a time with its unit: "0.42 ms", "6.8 ms", "412 ms", "1.24 s".
func (p *Canvas) Ms(ms float64) string {
	b, unit := AppendDuration(p.num[:0], ms)
	return p.Keep(append(append(b, ' '), unit...))
}

// Duration is Ms of a known time, or "–".
func (p *Canvas) Duration(v metrics.Value) string {
	if !v.OK {
		return Unknown
	}
	return p.Ms(v.V)
}
