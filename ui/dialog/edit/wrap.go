package edit

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"tokscope/ui/draw"
	"tokscope/ui/sanitize"
)

// Row is one row on the screen: the clusters From..To of a line.
type Row struct {
	Line, From, To int
	More           bool // the line continues in the next row
}

// last returns the last column for the caret in the row. If the line
// continues, that is before its last cluster, because the position after it
// starts the next row.
func (r Row) last() int {
	if r.More && r.To > r.From {
		return r.To - 1
	}
	return r.To
}

// tab is the text shown for a TAB.
const tab = "    "

// Show returns the shown form of a cluster and its width in cells. The result
// cannot act on a terminal.
func Show(c string) (string, int) {
	switch {
	case len(c) == 1 && c[0] >= 0x20 && c[0] < 0x7f:
		return c, 1
	case c == "\t":
		return tab, len(tab)
	}
	switch r, n := utf8.DecodeRuneInString(c); {
	case n != len(c):
	case r >= 0xa1 && r < 0x300 && r != 0xad:
		return c, 1
	case r >= 0x4e00 && r < 0xa000: // the bulk of Chinese and Japanese
		return c, 2
	}
	s := sanitize.Line(c, 8)
	return s, draw.Width(s)
}

// Wrap sets the width in cells at which rows wrap, at least 1.
func (b *Buffer) Wrap(width int) {
	if width = max(width, 1); width != b.width {
		b.width, b.stale = width, true
	}
}

// Rows returns the text as rows of the screen, at least one. The slice is
// valid until the next change.
func (b *Buffer) Rows() []Row {
	if !b.stale {
		return b.rows
	}
	b.rows, b.stale = b.rows[:0], false
	for i := range b.lines {
		b.wrapLine(i)
	}
	return b.rows
}

// wrapLine appends the rows of line i. A row breaks after its last space, or
// at the width without one. Spaces may exceed the width, so a break never
// moves one to the start of a row.
func (b *Buffer) wrapLine(i int) {
	line, from, x, brk := b.lines[i], 0, 0, 0
	for c := 0; c < len(line); {
		_, w := Show(line[c])
		space := line[c] == " "
		if x+w > b.width && !space && c > from {
			to := c
			if brk > from {
				to = brk
			}
			b.rows = append(b.rows, Row{i, from, to, true})
			from, x, brk = to, 0, to
			c = to
			continue
		}
		x += w
		c++
		if space {
			brk = c
		}
	}
	b.rows = append(b.rows, Row{Line: i, From: from, To: len(line)})
}

// Clusters returns the clusters of a row. They are read only and valid until
// the next change.
func (b *Buffer) Clusters(r Row) []string { return b.lines[r.Line][r.From:r.To] }

// CaretRow returns the index of the caret's row.
func (b *Buffer) CaretRow() int {
	i, starts := slices.BinarySearchFunc(b.Rows(), b.at, func(r Row, p Pos) int {
		return cmp.Or(cmp.Compare(r.Line, p.Line), cmp.Compare(r.From, p.Col))
	})
	if !starts {
		i-- // the last row that starts before the caret
	}
	return i
}

// CaretX returns the caret's cell within its row.
func (b *Buffer) CaretX() int {
	r := b.Rows()[b.CaretRow()]
	x := 0
	for _, c := range b.lines[r.Line][r.From:b.at.Col] {
		_, w := Show(c)
		x += w
	}
	return x
}

// posAt returns the position in row r nearest to cell x.
func (b *Buffer) posAt(r Row, x int) Pos {
	col, at := r.From, 0
	for col < r.last() {
		_, w := Show(b.lines[r.Line][col])
		if at+w > x {
			break
		}
		at += w
		col++
	}
	return Pos{r.Line, col}
}
