package explain

import (
	"strings"
	"unicode/utf8"

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
func (p *pen) box(r cell.Rect, border themes.Role, title, right string) cell.Rect {
	p.g.Box(r, p.gl, border, p.chrome(title), themes.Title, "")
	if n := cell.Width(right); n > 0 && cell.Width(title)+n+9 <= r.W && r.H > 1 {
		x := r.Right() - 4 - n
		p.g.Set(x-1, r.Y, ' ', border)
		p.g.Text(x, r.Y, p.chrome(right), themes.Dim, n)
		p.g.Set(x+n, r.Y, ' ', border)
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

// set writes one glyph.
func (l *line) set(st themes.Role, r rune) {
	if l.left() > 0 {
		l.p.g.Set(l.x, l.y, r, st)
		l.x++
	}
}

// cut writes a text and ends it with an ellipsis where it does not fit.
func (l *line) cut(st themes.Role, s string) {
	l.x += l.p.g.Cut(l.x, l.y, l.p.chrome(s), l.p.gl, st, l.left())
}

// whole writes a text only if all of it fits: half a figure is a wrong figure.
func (l *line) whole(st themes.Role, s string) bool {
	if s = l.p.chrome(s); cell.Width(s) > l.left() {
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

// fit is how many bytes of text fit into w columns, cut at a blank where
// there is one.
func fit(text string, w int) int {
	used, blank, end := 0, 0, 0
	for i := 0; i < len(text); i = end {
		r, n := utf8.DecodeRuneInString(text[i:])
		if used += cell.Width(text[i : i+n]); used > w {
			if r == ' ' || blank == 0 {
				return i
			}
			return blank
		}
		if end = i + n; r == ' ' {
			blank = i
		}
	}
	return len(text)
}

// wrapped writes a text over the rows from y of r on, at most most of them,
// the last with an ellipsis where there is more, and returns the rows used.
func (p *pen) wrapped(r cell.Rect, y, most int, st themes.Role, text string) int {
	text = p.chrome(text)
	used := 0
	for used < most && y+used < r.H && text != "" && r.W > 0 {
		l := p.row(r, y+used)
		n := fit(text, r.W)
		if n == 0 {
			break
		}
		used++
		if used == most || y+used == r.H {
			l.x += p.g.Cut(l.x, l.y, text, p.gl, st, l.left())
			break
		}
		p.g.Text(l.x, l.y, text[:n], st, r.W)
		text = strings.TrimLeft(text[n:], " ")
	}
	return used
}
