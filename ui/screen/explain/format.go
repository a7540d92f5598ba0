package explain

import (
	"math"
	"strconv"

	"tokscope/metrics"
	ink "tokscope/ui/draw"
)

func (p *pen) uint(v uint64) string { return p.Keep(strconv.AppendUint(p.Scratch(), v, 10)) }

// finite is v within printable limits, 0 for a value that is no number.
func finite(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return min(max(v, -1e15), 1e15)
}

// fine is ms with two decimals below 10 ms and one below 100: steps are
// compared with each other.
func (p *pen) fine(v float64) string {
	v = finite(v)
	switch {
	case v < 9.995:
		return p.Keep(append(strconv.AppendFloat(p.Scratch(), max(v, 0), 'f', 2, 64), " ms"...))
	case v < 99.95:
		return p.Keep(append(strconv.AppendFloat(p.Scratch(), v, 'f', 1, 64), " ms"...))
	}
	return p.Ms(v)
}

// bare is a time without its unit, with three digits.
func (p *pen) bare(v float64) string {
	v = finite(v)
	switch {
	case v < 9.995:
		return p.Keep(strconv.AppendFloat(p.Scratch(), v, 'f', 2, 64))
	case v < 99.95:
		return p.Keep(strconv.AppendFloat(p.Scratch(), v, 'f', 1, 64))
	}
	return p.Keep(strconv.AppendFloat(p.Scratch(), min(v, 1e7), 'f', 0, 64))
}

// number is a speed, a rate or a count: "6.8", "147", "120k".
func (p *pen) number(v float64) string {
	v = finite(v)
	b := p.Scratch()
	switch {
	case v < 9.95:
		b = strconv.AppendFloat(b, v, 'f', 1, 64)
	case v < 99999.5:
		b = strconv.AppendFloat(b, v, 'f', 0, 64)
	case v < 999500:
		b = append(strconv.AppendFloat(b, v/1e3, 'f', 0, 64), 'k')
	default:
		b = append(strconv.AppendFloat(b, v/1e6, 'f', 1, 64), 'M')
	}
	return p.Keep(b)
}

// speed is a known speed, or "–".
func (p *pen) speed(v metrics.Value) string {
	if !v.OK {
		return ink.Unknown
	}
	return p.number(v.V)
}

// percent is a share of 1. "100 %" and "0 %" mean all and nothing.
func (p *pen) percent(v float64) string {
	n := finite(v) * 100
	if n > 99 && n < 100 {
		n = 99
	}
	if n > 0 && n < 0.5 {
		return "<1 %"
	}
	return p.Keep(append(strconv.AppendFloat(p.Scratch(), n, 'f', 0, 64), " %"...))
}

// si is an amount with three digits and a prefix: "15.0 GB", "131 kB", "989 TFLOP/s",
// "7.92 PFLOP/s". It ends at 999 E.
func (p *pen) si(v float64, unit string) string {
	b := p.Scratch()
	if !(v > 0) {
		v = 0
	}
	v = min(v, 999e18)
	prefixes, i := [...]string{" ", " k", " M", " G", " T", " P", " E"}, 0
	for v >= 999.5 && i < len(prefixes)-1 {
		v /= 1e3
		i++
	}
	switch {
	case i == 0 || v >= 99.95:
		b = strconv.AppendFloat(b, v, 'f', 0, 64)
	case v >= 9.995:
		b = strconv.AppendFloat(b, v, 'f', 1, 64)
	default:
		b = strconv.AppendFloat(b, v, 'f', 2, 64)
	}
	return p.Keep(append(append(b, prefixes[i]...), unit...))
}

// amount is si without "0 B": nothing is written as nothing.
func (p *pen) amount(v float64, unit string) string {
	if !(v > 0) {
		return ""
	}
	return p.si(v, unit)
}

// change is by how much now differs from before: "+12 %", "×2.4" from twice
// on, "" when one is not known. up and down say which way it went, by at
// least half a percent.
func (p *pen) change(before, now metrics.Value) (text string, up, down bool) {
	if !before.OK || !now.OK || !(before.V > 0) || !(now.V >= 0) {
		return "", false, false
	}
	f := finite(now.V / before.V)
	up, down = f > 1.005, f < 0.995
	b := p.Scratch()
	switch {
	case now.V == 0:
		b = append(b, "to 0"...)
	case f >= 1.995:
		b = append(b, "×"...)
		if f < 9.95 {
			b = strconv.AppendFloat(b, f, 'f', 1, 64)
		} else {
			b = strconv.AppendFloat(b, min(f, 99999), 'f', 0, 64)
		}
	case up:
		b = append(strconv.AppendFloat(append(b, '+'), (f-1)*100, 'f', 0, 64), " %"...)
	case down:
		b = append(strconv.AppendFloat(b, (f-1)*100, 'f', 0, 64), " %"...)
	default:
		b = append(b, "same"...)
	}
	return p.Keep(b), up, down
}

// factor is the speed of time: "1x", "0.1x", "0.02x".
func (p *pen) factor(v float64) string {
	return p.Keep(append(strconv.AppendFloat(p.Scratch(), finite(v), 'g', 3, 64), 'x'))
}

// of is a count with its noun.
func (p *pen) of(n int, one, many string) string {
	return p.Join(p.Int(n), " ", ink.Either(n == 1, one, many))
}
