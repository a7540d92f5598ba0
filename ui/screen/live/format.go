package live

import (
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/ui/cell"
	"tokscope/ui/safe"
)

// appendDuration writes ms with three digits at most where they matter, and
// returns the unit apart: "0.42" ms, "6.8" ms, "412" ms, "1.24" s, "12.4" s,
// "123" s.
func appendDuration(b []byte, ms float64) (_ []byte, unit string) {
	switch {
	case ms < 0:
		b, unit = appendDuration(append(b, '-'), -ms)
		return b, unit
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

// appendClock writes a stopwatch: seconds with two decimals, one from 10 s on,
// none from 1000 s on, so that it is at least four characters wide.
func appendClock(b []byte, ms float64) []byte {
	switch {
	case ms < 9995:
		return strconv.AppendFloat(b, max(ms, 0)/1e3, 'f', 2, 64)
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

// unknown is how a value without a value is written.
const unknown = "–"

// duration is a known time with its unit, or "–".
func (p *pen) duration(v metrics.Value) string {
	if !v.OK {
		return unknown
	}
	return p.ms(v.V)
}

// bare is duration without the unit where the unit is ms.
func (p *pen) bare(v metrics.Value) string {
	if !v.OK {
		return unknown
	}
	b, unit := appendDuration(p.num[:0], v.V)
	if unit != "ms" {
		b = append(append(b, ' '), unit...)
	}
	return p.keep(b)
}

// ms is a time with its unit.
func (p *pen) ms(v float64) string {
	b, unit := appendDuration(p.num[:0], v)
	return p.keep(append(append(b, ' '), unit...))
}

// split is a known time and its unit apart, or "–" and "ms".
func (p *pen) split(v metrics.Value) (num, unit string) {
	if !v.OK {
		return unknown, "ms"
	}
	b, unit := appendDuration(p.num[:0], v.V)
	return p.keep(b), unit
}

// count is a known number without unit, or "–".
func (p *pen) count(v metrics.Value) string {
	if !v.OK {
		return unknown
	}
	return p.keep(appendCount(p.num[:0], v.V))
}

// times is a known factor, "28×" or "0.4×", or "–".
func (p *pen) times(v metrics.Value) string {
	if !v.OK {
		return unknown
	}
	return p.keep(append(appendCount(p.num[:0], v.V), "×"...))
}

// int is a whole number.
func (p *pen) int(n int) string { return p.keep(strconv.AppendInt(p.num[:0], int64(n), 10)) }

// clock is a stopwatch in seconds, without unit.
func (p *pen) clock(ms float64) string { return p.keep(appendClock(p.num[:0], ms)) }

// join puts strings together.
func (p *pen) join(parts ...string) string {
	b := p.num[:0]
	for _, s := range parts {
		b = append(b, s...)
	}
	return p.keep(b)
}

// shorter rounds a number until it is at most w columns wide as a big one; it
// gives up decimals only.
func (p *pen) shorter(num string, w int) string {
	for cell.BigWidth(num, p.gl) > w {
		_, decimals, ok := strings.Cut(num, ".")
		v, err := strconv.ParseFloat(num, 64)
		if !ok || err != nil {
			break
		}
		num = p.keep(strconv.AppendFloat(p.num[:0], v, 'f', len(decimals)-1, 64))
	}
	return num
}

func itoa(n int) string { return strconv.Itoa(n) }

// count0 is a known whole number, or "–".
func (p *pen) count0(v metrics.Value) string {
	if !v.OK {
		return unknown
	}
	return p.keep(strconv.AppendFloat(p.num[:0], v.V, 'f', 0, 64))
}

// ratio is a number with one decimal.
func (p *pen) ratio(v float64) string { return p.keep(strconv.AppendFloat(p.num[:0], v, 'f', 1, 64)) }

// percent is a share 0..1.
func (p *pen) percent(v float64) string {
	return p.keep(append(strconv.AppendFloat(p.num[:0], v*100, 'f', 0, 64), " %"...))
}

// signed is a percentage with its sign.
func (p *pen) signed(v float64) string {
	b := p.num[:0]
	if v >= 0 {
		b = append(b, '+')
	}
	return p.keep(append(strconv.AppendFloat(b, v, 'f', 0, 64), " %"...))
}

// safeName is a short name from outside.
func safeName(s string) string { return safe.Line(s, 24) }

// wide pads s on the left to w columns.
func (p *pen) wide(s string, w int) string {
	n := cell.Width(s)
	if n >= w {
		return s
	}
	return p.join("          "[:min(w-n, 10)], s)
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
		return p.join(p.int(n), " s")
	}
	zero := ""
	if n%60 < 10 {
		zero = "0"
	}
	return p.join(p.int(n/60), ":", zero, p.int(n%60), " min")
}

// either is a when yes, else b.
func either(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}
