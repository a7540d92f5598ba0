package draw

import (
	"cmp"

	"tokscope/themes"
	"tokscope/ui/format"
)

// Line writes one row from left to right, at X, Y, up to column End
// (excluded).
type Line struct {
	p         *Canvas
	X, Y, End int
}

// Line returns a row of w columns that starts at x, y.
func (p *Canvas) Line(x, y, w int) Line { return Line{p, x, y, x + w} }

// nowhere is a row outside of every grid.
const nowhere = -1 << 20

// Row returns row i of r. A row outside r draws nothing.
func (p *Canvas) Row(r Rect, i int) Line {
	if i < 0 || i >= r.H {
		return Line{p, r.X, nowhere, r.X}
	}
	return Line{p, r.X, r.Y + i, r.Right()}
}

// Left returns the remaining columns.
func (l *Line) Left() int { return l.End - l.X }

// Write writes one of the program's own texts.
func (l *Line) Write(st themes.Role, s string) {
	l.X += l.p.Grid.Text(l.X, l.Y, l.p.Chrome(s), st, l.Left())
}

// Set writes one glyph.
func (l *Line) Set(st themes.Role, r rune) {
	if l.Left() > 0 {
		l.p.Grid.Set(l.X, l.Y, r, st)
		l.X++
	}
}

// Cut writes a text, with an ellipsis at the end if it does not fit.
func (l *Line) Cut(st themes.Role, s string) { l.Raw(st, l.p.Chrome(s)) }

// Raw is Cut for a text from outside, which must be sanitized.
func (l *Line) Raw(st themes.Role, s string) {
	l.X += l.p.Grid.Cut(l.X, l.Y, s, l.p.Glyphs, st, l.Left())
}

// Name writes a name from outside; one that does not fit loses its middle.
func (l *Line) Name(st themes.Role, s string) {
	l.X += l.p.Grid.Name(l.X, l.Y, s, l.p.Glyphs, st, l.Left())
}

// Whole writes a text only if all of it fits: half a figure is a wrong
// figure. It reports whether it wrote.
func (l *Line) Whole(st themes.Role, s string) bool {
	if s = l.p.Chrome(s); Width(s) > l.Left() {
		return false
	}
	l.Write(st, s)
	return true
}

// List writes those of items that fit whole, with sep between them. It leaves out
// empty ones.
func (l *Line) List(st themes.Role, sep string, items ...string) {
	between := ""
	for _, s := range items {
		if s != "" && l.Whole(st, l.p.Join(between, s)) {
			between = sep
		}
	}
}

// Clauses writes a text whole, or without its last clauses: an ellipsis may cut a
// figure. It reports whether it wrote.
func (l *Line) Clauses(st themes.Role, s string) bool {
	fits := func(s string) bool { return Width(l.p.Chrome(s)) <= l.Left() }
	s = format.Clauses(s, fits)
	l.Write(st, s)
	return s != ""
}

// Part is a clause of a row, in its role.
type Part struct {
	Role  themes.Role
	Text  string
	Brief string // what stands for Text where that is too long, "" for Text itself
	Rank  int    // 0 always stays; where room is short those of the largest, at most 9, go first

	shown string
}

// Fit writes parts as say.Sentence fits clauses: where room is short all in brief,
// without those of the largest ranks, and then in full what still fits. Nothing is
// cut: without room for those that stay it writes nothing. It does not allocate, and
// reports whether it wrote.
func (l *Line) Fit(parts ...Part) bool {
	fits := func() bool {
		w := 0
		for i := range parts {
			w += Width(parts[i].shown)
		}
		return w <= l.Left()
	}
	for i := range parts {
		c := &parts[i]
		c.Text, c.Brief = l.p.Chrome(c.Text), l.p.Chrome(c.Brief)
		c.shown = c.Text
	}
	if !fits() {
		for i := range parts {
			parts[i].shown = cmp.Or(parts[i].Brief, parts[i].Text)
		}
		for rank := 9; rank > 0 && !fits(); rank-- {
			for i := range parts {
				if parts[i].Rank == rank {
					parts[i].shown = ""
				}
			}
		}
		if !fits() {
			return false
		}
		for i := range parts {
			c := &parts[i]
			if brief := c.shown; brief != "" {
				if c.shown = c.Text; !fits() {
					c.shown = brief
				}
			}
		}
	}
	for i := range parts {
		l.Write(parts[i].Role, parts[i].shown)
	}
	return true
}

// Field writes s right-aligned in w columns. The next text keeps its place
// when s changes its width.
func (l *Line) Field(st themes.Role, s string, w int) {
	if n := Width(s); n < w {
		l.X += w - n
	}
	l.Write(st, s)
}

// Slot writes s left-aligned in at least w columns.
func (l *Line) Slot(st themes.Role, s string, w int) {
	from := l.X
	l.Write(st, s)
	l.X = max(l.X, from+w)
}

// Skip leaves n columns blank.
func (l *Line) Skip(n int) { l.X += n }

// To moves to column x of the screen, if x is to the right.
func (l *Line) To(x int) { l.X = max(l.X, x) }

// Ruler fills the rest of the row with the border's line.
func (l *Line) Ruler() {
	l.p.Grid.Across(l.X, l.Y, l.Left(), l.p.Glyphs.H, themes.Border)
	l.To(l.End)
}
