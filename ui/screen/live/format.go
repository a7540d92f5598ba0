package live

import (
	"math"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/ui/draw"
	"tokscope/ui/sanitize"
)

// appendClock writes a stopwatch in the unit that its last reading will have:
// below a second ms in steps of ten, so that the last digit does not flicker,
// then seconds with two decimals, one from 10 s on, none from 1000 s on.
func appendClock(b []byte, ms float64) []byte {
	switch {
	case ms < 1000:
		return strconv.AppendInt(b, int64(max(ms, 0)/10)*10, 10)
	case ms < 9995:
		return strconv.AppendFloat(b, ms/1e3, 'f', 2, 64)
	case ms < 999950:
		return strconv.AppendFloat(b, ms/1e3, 'f', 1, 64)
	}
	return strconv.AppendFloat(b, ms/1e3, 'f', 0, 64)
}

// appendCount writes a speed or a count: "6.8", "147", "12k".
func appendCount(b []byte, v float64) []byte {
	switch {
	case v < 9.95:
		return strconv.AppendFloat(b, v, 'f', 1, 64)
	case v < 9999.5:
		return strconv.AppendFloat(b, v, 'f', 0, 64)
	case v < 999500:
		return append(strconv.AppendFloat(b, v/1e3, 'f', 0, 64), 'k')
	}
	return append(strconv.AppendFloat(b, v/1e6, 'f', 1, 64), 'M')
}

// bare is duration without the unit where the unit is ms.
func (p *pen) bare(v metrics.Value) string {
	if !v.OK {
		return draw.Unknown
	}
	b, unit := draw.AppendDuration(p.Scratch(), v.V)
	if unit != "ms" {
		b = append(append(b, ' '), unit...)
	}
	return p.Keep(b)
}

// split is a known time and its unit apart, or "–" and "ms".
func (p *pen) split(v metrics.Value) (num, unit string) {
	if !v.OK {
		return draw.Unknown, "ms"
	}
	b, unit := draw.AppendDuration(p.Scratch(), v.V)
	return p.Keep(b), unit
}

// count is a known number without unit, or "–".
func (p *pen) count(v metrics.Value) string {
	if !v.OK {
		return draw.Unknown
	}
	return p.Keep(appendCount(p.Scratch(), v.V))
}

// times is a known factor, "28×" or "0.4×", or "–".
func (p *pen) times(v metrics.Value) string {
	if !v.OK {
		return draw.Unknown
	}
	return p.Keep(append(appendCount(p.Scratch(), v.V), "×"...))
}

// tick is a number of a linear scale in ms, as short as it can be: "40 ms", "1.2 s".
func (p *pen) tick(ms float64) string {
	if ms < 1000 {
		return p.Join(p.Int(int(ms)), " ms")
	}
	return p.Join(p.Keep(strconv.AppendFloat(p.Scratch(), ms/1e3, 'f', -1, 64)), " s")
}

// clock is a stopwatch and its unit.
func (p *pen) clock(ms float64) (num, unit string) {
	unit = "ms"
	if ms >= 1000 {
		unit = "s"
	}
	return p.Keep(appendClock(p.Scratch(), ms)), unit
}

// silence is how long in ms nothing has come in the middle of a response; ok
// from where on the screen says so.
func (p *pen) silence() (ms float64, ok bool) {
	st := &p.v.Stream
	if st.State != metrics.Decoding || !st.LastData.Known() || len(st.Chunks) == 0 || p.v.Now-st.LastData <= metrics.Stamp(quiet) {
		return 0, false
	}
	return float64(p.v.Now-st.LastData) / 1e6, true
}

// stalling reports whether the silence is a stall already, by the rule of
// Figures.Stalls.
func (p *pen) stalling() bool {
	ms, ok := p.silence()
	g := &p.v.Figures.Gaps
	return ok && g.N >= metrics.MinStallGaps && g.P50.OK && ms > max(g.P50.V*metrics.StallFactor, metrics.StallFloor)
}

// shorter rounds a number until it is at most w columns wide as a big one; it
// gives up decimals only.
func (p *pen) shorter(num string, w int) string {
	for draw.BigWidth(num, p.Glyphs) > w {
		_, decimals, ok := strings.Cut(num, ".")
		v, err := strconv.ParseFloat(num, 64)
		if !ok || err != nil {
			break
		}
		num = p.Keep(strconv.AppendFloat(p.Scratch(), v, 'f', len(decimals)-1, 64))
	}
	return num
}

func itoa(n int) string { return strconv.Itoa(n) }

// count0 is a known whole number, or "–".
func (p *pen) count0(v metrics.Value) string {
	if !v.OK {
		return draw.Unknown
	}
	return p.Keep(strconv.AppendFloat(p.Scratch(), v.V, 'f', 0, 64))
}

// ratio is a number with one decimal.
func (p *pen) ratio(percent float64) string {
	return p.Keep(strconv.AppendFloat(p.Scratch(), percent, 'f', 1, 64))
}

// percent is a share 0..1.
func (p *pen) percent(v float64) string {
	return p.Keep(append(strconv.AppendFloat(p.Scratch(), v*100, 'f', 0, 64), " %"...))
}

// signed is a percentage with its sign.
func (p *pen) signed(v float64) string {
	if math.Abs(v) < 0.5 {
		return "0 %" // neither up nor down
	}
	b := p.Scratch()
	if v > 0 {
		b = append(b, '+')
	}
	return p.Keep(append(strconv.AppendFloat(b, v, 'f', 0, 64), " %"...))
}

// safeName is a short, sanitized name from outside.
func safeName(s string) string { return sanitize.Line(s, 24) }

// wide pads s on the left to w columns.
func (p *pen) wide(s string, w int) string {
	n := draw.Width(s)
	if n >= w {
		return s
	}
	return p.Join("          "[:min(w-n, 10)], s)
}

// withheld is why the p99 of the gaps is not printed, "" when it is.
func withheld(v *metrics.Figures) string {
	if v.Gaps.P99.OK || v.Gaps.N == 0 {
		return ""
	}
	return v.Gaps.P99.Why
}

// span is a time in whole seconds, "40 s", or minutes and seconds, "1:12 min".
func (p *pen) span(seconds float64) string {
	n := int(min(max(seconds, 0), 1e7) + 0.5)
	if n < 100 {
		return p.Join(p.Int(n), " s")
	}
	zero := ""
	if n%60 < 10 {
		zero = "0"
	}
	return p.Join(p.Int(n/60), ":", zero, p.Int(n%60), " min")
}
