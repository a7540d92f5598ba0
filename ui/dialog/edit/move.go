package edit

import (
	"unicode"
	"unicode/utf8"

	"tokscope/ui/keys"
)

func (b *Buffer) end() Pos { n := len(b.lines) - 1; return Pos{n, len(b.lines[n])} }

func (b *Buffer) left(p Pos) Pos {
	switch {
	case p.Col > 0:
		p.Col--
	case p.Line > 0:
		p.Line--
		p.Col = len(b.lines[p.Line])
	}
	return p
}

func (b *Buffer) right(p Pos) Pos {
	switch {
	case p.Col < len(b.lines[p.Line]):
		p.Col++
	case p.Line < len(b.lines)-1:
		p = Pos{p.Line + 1, 0}
	}
	return p
}

// letter reports whether the cluster at p belongs to a word.
func letter(lines [][]string, p Pos) bool {
	l := lines[p.Line]
	if p.Col < 0 || p.Col >= len(l) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(l[p.Col])
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'
}

func (b *Buffer) wordLeft(p Pos) Pos {
	for q := b.left(p); q != p && !letter(b.lines, q); q = b.left(p) {
		p = q
	}
	for q := b.left(p); q != p && letter(b.lines, q); q = b.left(p) {
		p = q
	}
	return p
}

func (b *Buffer) wordRight(p Pos) Pos {
	for !letter(b.lines, p) && p != b.end() {
		p = b.right(p)
	}
	for letter(b.lines, p) {
		p = b.right(p)
	}
	return p
}

func (b *Buffer) move(p Pos) { b.at, b.want, b.last = p, -1, none }

// Do carries out a key: a movement, or a change of the text. page is the rows of a page on
// the screen. It reports whether the text may have changed; other intents do nothing.
func (b *Buffer) Do(in keys.Intent, page int) (changed bool) {
	switch in {
	case keys.Up:
		b.Vertical(-1)
	case keys.Down:
		b.Vertical(1)
	case keys.PageUp:
		b.Vertical(-page)
	case keys.PageDown:
		b.Vertical(page)
	case keys.Left:
		b.move(b.left(b.at))
	case keys.Right:
		b.move(b.right(b.at))
	case keys.WordLeft:
		b.move(b.wordLeft(b.at))
	case keys.WordRight:
		b.move(b.wordRight(b.at))
	case keys.LineStart: // of the row on the screen
		r := b.Rows()[b.CaretRow()]
		b.move(Pos{r.Line, r.From})
	case keys.LineEnd:
		r := b.Rows()[b.CaretRow()]
		b.move(Pos{r.Line, r.last()})
	case keys.Home:
		b.move(Pos{})
	case keys.End:
		b.move(b.end())
	default:
		return b.change(in)
	}
	return false
}

// Vertical moves the caret n rows of the screen down, or up if n is negative.
// It keeps the column of the first of consecutive vertical moves.
func (b *Buffer) Vertical(n int) {
	rows, at := b.Rows(), b.CaretRow()
	if b.want < 0 {
		b.want = b.CaretX()
	}
	to := min(max(at+n, 0), len(rows)-1)
	want := b.want
	b.move(b.posAt(rows[to], want))
	b.want = want
}

// Place moves the caret to cell x of row y, or to the nearest text.
func (b *Buffer) Place(x, y int) {
	rows := b.Rows()
	b.move(b.posAt(rows[min(max(y, 0), len(rows)-1)], x))
}
