package load

import (
	"strconv"

	"tokscope/metrics"
	"tokscope/ui/draw"
)

// number is a speed, a rate or a count: "6.8", "147", "12k".
func (p *canvas) number(v float64) string {
	b := p.Scratch()
	switch {
	case v == 0:
		b = append(b, '0')
	case v < 9.95:
		b = strconv.AppendFloat(b, v, 'f', 1, 64)
	case v < 99999.5:
		b = strconv.AppendFloat(b, v, 'f', 0, 64)
	case v < 999500:
		b = append(strconv.AppendFloat(b, v/1e3, 'f', 0, 64), 'k')
	case v < 1e12:
		b = append(strconv.AppendFloat(b, v/1e6, 'f', 1, 64), 'M')
	default:
		b = strconv.AppendFloat(b, v, 'e', 0, 64)
	}
	return p.Keep(b)
}

// count is a number of whole things.
func (p *canvas) count(v float64) string {
	if v < 9.5 {
		return p.Int(int(v + 0.5))
	}
	return p.number(v)
}

// rate is a number with one decimal.
func (p *canvas) rate(v metrics.Value) string {
	if !v.OK {
		return draw.Unknown
	}
	if v.V < 99.95 {
		return p.Keep(strconv.AppendFloat(p.Scratch(), v.V, 'f', 1, 64))
	}
	return p.number(v.V)
}

// speed is a known speed, or "–".
func (p *canvas) speed(v metrics.Value) string {
	if !v.OK {
		return draw.Unknown
	}
	return p.number(v.V)
}

// money is a cost with as many digits as its size needs.
func (p *canvas) money(v float64) string {
	digits := 2
	switch {
	case v < 0.01:
		digits = 4
	case v < 1:
		digits = 3
	}
	return p.Keep(strconv.AppendFloat(p.Scratch(), v, 'f', digits, 64))
}

// percent is a share 0..1. What is not all is never rounded to 100 %, what is
// not nothing never to 0 %: as sweep prints it.
func (p *canvas) percent(v metrics.Value) string {
	if !v.OK {
		return draw.Unknown
	}
	n := v.V * 100
	switch {
	case n > 99 && n < 100:
		n = 99
	case n > 0 && n < 1:
		n = 1
	}
	return p.Keep(append(strconv.AppendFloat(p.Scratch(), n, 'f', 0, 64), " %"...))
}

// share is a number 0..1 with two digits; 1 must mean all.
func (p *canvas) share(v float64) string {
	if v < 1 {
		v = min(v, 0.99)
	}
	return p.Keep(strconv.AppendFloat(p.Scratch(), v, 'f', 2, 64))
}

// clock is a time in seconds as minutes and seconds, "4:07".
func (p *canvas) clock(seconds float64) string {
	n := int(min(max(seconds, 0), 1e7) + 0.5)
	b := append(strconv.AppendInt(p.Scratch(), int64(n/60), 10), ':')
	if n%60 < 10 {
		b = append(b, '0')
	}
	return p.Keep(strconv.AppendInt(b, int64(n%60), 10))
}
