package load

import (
	"strconv"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/cell"
	"tokscope/ui/ink"
)

// pen is what the panels draw with: grid, glyphs, view, and an arena for the
// strings of one frame.
type pen struct {
	g   *cell.Grid
	gl  *themes.Glyphs
	v   *View
	ink ink.Ink
	num []byte
}

func (p *pen) begin(g *cell.Grid, v *View) {
	p.g, p.v, p.gl = g, v, v.Glyphs
	if p.gl == nil {
		p.gl = themes.UnicodeGlyphs()
	}
	p.ink.Begin()
}

// keep returns b as a string that lives as long as the frame needs it.
func (p *pen) keep(b []byte) string {
	p.num = b[:0]
	return p.ink.Keep(b)
}

// join puts strings together.
func (p *pen) join(parts ...string) string {
	b := p.num[:0]
	for _, s := range parts {
		b = append(b, s...)
	}
	return p.keep(b)
}

// chrome returns one of our own texts in the glyph set's letters.
func (p *pen) chrome(s string) string {
	if !p.gl.ASCII || ink.IsASCII(s) {
		return s
	}
	return p.keep(ink.AppendASCII(p.num[:0], s))
}

// box draws a titled frame, with a dim text at its right where that fits, and
// returns the room inside: one blank column at both sides.
func (p *pen) box(r cell.Rect, title, right string) cell.Rect {
	p.g.Box(r, p.gl, themes.Border, p.chrome(title), themes.Title, "")
	if n := cell.Width(right); n > 0 && cell.Width(title)+n+9 <= r.W && r.H > 1 {
		x := r.Right() - 4 - n
		p.g.Set(x-1, r.Y, ' ', themes.Border)
		p.g.Text(x, r.Y, p.chrome(right), themes.Dim, n)
		p.g.Set(x+n, r.Y, ' ', themes.Border)
	}
	return r.Inner()
}

// line writes one row from the left to the right.
type line struct {
	p         *pen
	x, y, end int
}

// row begins row i of r; one outside of r takes nothing.
func (p *pen) row(r cell.Rect, i int) line {
	if i < 0 || i >= r.H {
		return line{p, r.X, -1 << 20, r.X}
	}
	return line{p, r.X, r.Y + i, r.Right()}
}

func (l *line) left() int { return l.end - l.x }

// put writes one of our own texts.
func (l *line) put(st themes.Role, s string) {
	l.x += l.p.g.Text(l.x, l.y, l.p.chrome(s), st, l.left())
}

// cut writes a text and ends it with an ellipsis where it does not fit.
func (l *line) cut(st themes.Role, s string) {
	l.x += l.p.g.Cut(l.x, l.y, l.p.chrome(s), l.p.gl, st, l.left())
}

// whole writes a text only if all of it fits: half a figure is a wrong figure.
func (l *line) whole(st themes.Role, s string) bool {
	if cell.Width(l.p.chrome(s)) > l.left() {
		return false
	}
	l.put(st, s)
	return true
}

// field writes s right-aligned in w columns.
func (l *line) field(st themes.Role, s string, w int) {
	if n := cell.Width(s); n < w {
		l.x += w - n
	}
	l.put(st, s)
}

// slot writes s left-aligned in w columns at least.
func (l *line) slot(st themes.Role, s string, w int) {
	from := l.x
	l.put(st, s)
	l.x = max(l.x, from+w)
}

func (l *line) skip(n int) { l.x += n }

// to moves to column x if that lies ahead.
func (l *line) to(x int) { l.x = max(l.x, x) }

// unknown is how a value without a value is written.
const unknown = "–"

func (p *pen) int(n int) string { return p.keep(strconv.AppendInt(p.num[:0], int64(n), 10)) }

// ms is a time with its unit: "0.42 ms", "6.8 ms", "412 ms", "1.24 s".
func (p *pen) ms(v float64) string {
	b := p.num[:0]
	switch {
	case v < 0.995:
		b = append(strconv.AppendFloat(b, max(v, 0), 'f', 2, 64), " ms"...)
	case v < 9.95:
		b = append(strconv.AppendFloat(b, v, 'f', 1, 64), " ms"...)
	case v < 999.5:
		b = append(strconv.AppendFloat(b, v, 'f', 0, 64), " ms"...)
	case v < 9995:
		b = append(strconv.AppendFloat(b, v/1e3, 'f', 2, 64), " s"...)
	case v < 99950:
		b = append(strconv.AppendFloat(b, v/1e3, 'f', 1, 64), " s"...)
	default:
		b = append(strconv.AppendFloat(b, v/1e3, 'f', 0, 64), " s"...)
	}
	return p.keep(b)
}

// duration is a known time with its unit, or "–".
func (p *pen) duration(v metrics.Value) string {
	if !v.OK {
		return unknown
	}
	return p.ms(v.V)
}

// number is a speed, a rate or a count: "6.8", "147", "12k".
func (p *pen) number(v float64) string {
	b := p.num[:0]
	switch {
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
	return p.keep(b)
}

// rate is a number with one decimal.
func (p *pen) rate(v metrics.Value) string {
	if !v.OK {
		return unknown
	}
	if v.V < 99.95 {
		return p.keep(strconv.AppendFloat(p.num[:0], v.V, 'f', 1, 64))
	}
	return p.number(v.V)
}

// speed is a known speed, or "–".
func (p *pen) speed(v metrics.Value) string {
	if !v.OK {
		return unknown
	}
	return p.number(v.V)
}

// money is a cost with as many digits as its size needs.
func (p *pen) money(v float64) string {
	digits := 2
	switch {
	case v < 0.01:
		digits = 4
	case v < 1:
		digits = 3
	}
	return p.keep(strconv.AppendFloat(p.num[:0], v, 'f', digits, 64))
}

// percent is a share 0..1.
func (p *pen) percent(v metrics.Value) string {
	if !v.OK {
		return unknown
	}
	n := v.V * 100
	if n > 99 && n < 100 { // "100 %" must mean all
		n = 99
	}
	return p.keep(append(strconv.AppendFloat(p.num[:0], n, 'f', 0, 64), " %"...))
}

// clock is a time in seconds as minutes and seconds, "4:07".
func (p *pen) clock(seconds float64) string {
	n := int(min(max(seconds, 0), 1e7) + 0.5)
	b := append(strconv.AppendInt(p.num[:0], int64(n/60), 10), ':')
	if n%60 < 10 {
		b = append(b, '0')
	}
	return p.keep(strconv.AppendInt(b, int64(n%60), 10))
}
