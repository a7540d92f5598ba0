package live

import (
	"tokscope/themes"
	"tokscope/ui/cell"
	"tokscope/ui/ink"
)

// pen is what the widgets draw with: the grid, the glyphs, the view, and an
// arena for the strings of one frame, so that a frame full of numbers costs
// one allocation and not one a number.
type pen struct {
	g   *cell.Grid
	gl  *themes.Glyphs
	v   *View
	ink ink.Ink
	num []byte
}

// begin points the pen at a new frame.
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

// chrome returns one of our own texts in the glyph set's letters.
func (p *pen) chrome(s string) string {
	if !p.gl.ASCII || ink.IsASCII(s) {
		return s
	}
	return p.keep(ink.AppendASCII(p.num[:0], s))
}

// box draws a titled frame and returns the room inside it: one blank column
// at both sides.
func (p *pen) box(r cell.Rect, title, right string) cell.Rect {
	p.g.Box(r, p.gl, themes.Border, p.chrome(title), themes.Title, "")
	p.caption(r, cell.Width(title), right)
	return r.Inner()
}

// caption sets a dim text into the right of a box's upper line, where a title
// of so many columns leaves room for the whole of it.
func (p *pen) caption(r cell.Rect, title int, right string) {
	n := cell.Width(right)
	if right == "" || title+n+9 > r.W {
		return
	}
	x := r.Right() - 4 - n
	p.g.Set(x-1, r.Y, ' ', themes.Border)
	p.g.Text(x, r.Y, p.chrome(right), themes.Dim, n)
	p.g.Set(x+n, r.Y, ' ', themes.Border)
}

// line writes one row from the left to the right.
type line struct {
	p         *pen
	x, y, end int
}

// line begins a row of w columns at x, y.
func (p *pen) line(x, y, w int) line { return line{p, x, y, x + w} }

// nowhere is a row that no grid has.
const nowhere = -1 << 20

// row begins row i of r; one outside of r takes nothing.
func (p *pen) row(r cell.Rect, i int) line {
	if i < 0 || i >= r.H {
		return line{p, r.X, nowhere, r.X}
	}
	return line{p, r.X, r.Y + i, r.Right()}
}

// left is the room that is left.
func (l *line) left() int { return l.end - l.x }

// put writes one of our own texts.
func (l *line) put(st themes.Role, s string) {
	l.x += l.p.g.Text(l.x, l.y, l.p.chrome(s), st, l.left())
}

// cut writes a text and ends it with an ellipsis where it does not fit.
func (l *line) cut(st themes.Role, s string) {
	l.x += l.p.g.Cut(l.x, l.y, l.p.chrome(s), l.p.gl, st, l.left())
}

// raw writes a text from outside, which must be safe, cut with an ellipsis.
func (l *line) raw(st themes.Role, s string) {
	l.x += l.p.g.Cut(l.x, l.y, s, l.p.gl, st, l.left())
}

// whole writes a text only if all of it fits: half a figure is a wrong figure.
func (l *line) whole(st themes.Role, s string) bool {
	if cell.Width(s) > l.left() {
		return false
	}
	l.put(st, s)
	return true
}

// field writes s right-aligned in w columns, so that what follows stays where
// it is when s changes its width.
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

// skip leaves n columns.
func (l *line) skip(n int) { l.x += n }

// to moves to column x of the screen if that lies ahead.
func (l *line) to(x int) { l.x = max(l.x, x) }

// ruler fills what is left with the border's line.
func (l *line) ruler() {
	for ; l.x < l.end; l.x++ {
		l.p.g.Set(l.x, l.y, l.p.gl.H, themes.Border)
	}
}
