package listing

import (
	"cmp"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// Column is a column of a table with rows of type R: of ended requests, of the runs of
// the session, of the history.
type Column[R any] struct {
	Head  string
	Sort  string // the field that a click on the heading sorts by; "" for none
	Width int    // with the blanks before it
	Text  bool   // a text at the left, behind Gap blanks; else a figure at the right
	Gap   int
	Rank  int // from 0 to Ranks-1: lower ones get their room first
	// Least is how many columns must be left: fewer than Width where those are enough,
	// more where others need them; 0 is Width.
	Least int
	// Write writes the cell of a row, behind the Gap. A column without it widens the one
	// before it.
	Write func(l draw.Line, r R)
}

// Ranks is the number of ranks, and Never that of a column that has no room at all.
// MostColumns is the largest number of columns.
const Ranks, Never, MostColumns = 24, 24, 24

// Choose appends to dst those of all columns that fit into w, as wide as they are then.
func Choose[R any](dst, all []Column[R], w int) []Column[R] {
	var widths [MostColumns]int
	for rank := range Ranks {
		for i := range all {
			c := &all[i]
			if c.Rank == rank && w >= cmp.Or(c.Least, c.Width) {
				widths[i] = min(c.Width, w)
				w -= widths[i]
			}
		}
	}
	for i := range all {
		switch {
		case widths[i] == 0:
		case all[i].Write == nil:
			dst[len(dst)-1].Width += widths[i]
		default:
			dst = append(dst, all[i])
			dst[len(dst)-1].Width = widths[i]
		}
	}
	return dst
}

// Heads writes the headings, that of the field in order with an arrow, and makes those
// that sort targets.
func Heads[R any](p *draw.Canvas, l draw.Line, cols []Column[R], sorted string, down bool,
	target func(field string) draw.Target) {
	for i := range cols {
		c := &cols[i]
		text, role := c.Head, themes.Dim
		if c.Sort != "" && c.Sort == sorted {
			role = themes.Accent
			arrow := format.Either(down, p.Glyphs.Down, p.Glyphs.Up)
			text = p.Keep(append(append(p.Scratch(), text...), string(arrow)...))
		}
		cell := p.Line(l.X, l.Y, c.Width)
		cell.Skip(c.Gap)
		switch {
		case !c.Text:
			cell.Field(role, text, c.Width)
		case cell.Left() > headLeast || draw.Width(text) <= cell.Left():
			cell.Cut(role, text)
		}
		if c.Sort != "" {
			p.Grid.Target(draw.Rect{X: l.X, Y: l.Y, W: c.Width, H: 1}, target(c.Sort))
		}
		l.Skip(c.Width)
	}
}

// headLeast is the room in which a heading that is cut says nothing.
const headLeast = 3

// Cells writes a row.
func Cells[R any](p *draw.Canvas, l draw.Line, cols []Column[R], r R) {
	for i := range cols {
		c := &cols[i]
		cell := p.Line(l.X, l.Y, c.Width)
		cell.Skip(c.Gap)
		c.Write(cell, r)
		l.Skip(c.Width)
	}
}

// Mark is the room before the columns of a row for the sign of the chosen one.
const Mark = 2

// Row writes row r at a place, behind the room for its mark, and makes it a target.
func Row[R any](p *draw.Canvas, at draw.Rect, cols []Column[R], r R, target draw.Target, chosen bool) {
	p.Grid.Target(at, target)
	l := p.Row(at, 0)
	if chosen {
		l.Set(themes.Accent, p.Glyphs.Ghost)
	}
	l.X = at.X + Mark
	Cells(p, l, cols, r)
	if chosen {
		p.Grid.Style(draw.Rect{X: at.X + 1, Y: at.Y, W: at.W - 1, H: 1}, themes.Selected)
	}
}

// Ended writes how a request ended, by shape and color: the status, 0 without one, and
// those words. Where one that ended well has no room for them the shape is enough, and where
// another has a status that.
func Ended(p *draw.Canvas, l draw.Line, s metrics.State, status int, words string) {
	sign, role := draw.Outcome(p.Glyphs, s)
	l.Set(role, sign)
	if s == metrics.Done && l.Left() < len(words)+1 {
		return
	}
	l.Skip(1)
	if status != 0 {
		l.Write(themes.Bad, p.Int(status))
		l.Skip(1)
		l.Whole(themes.Dim, words)
	} else if l.Left() >= 4 {
		l.Cut(themes.Dim, words)
	}
}
