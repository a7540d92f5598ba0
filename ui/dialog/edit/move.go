package edit

import (
	"unicode"
	"unicode/utf8"
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

// Left moves the caret one character to the left.
func (b *Buffer) Left() { b.move(b.left(b.at)) }

// Right moves the caret one character to the right.
func (b *Buffer) Right() { b.move(b.right(b.at)) }

// WordLeft moves the caret to the start of the word before it.
func (b *Buffer) WordLeft() { b.move(b.wordLeft(b.at)) }

// WordRight moves the caret to the end of the next word.
func (b *Buffer) WordRight() { b.move(b.wordRight(b.at)) }

// Top moves the caret to the start of the text.
func (b *Buffer) Top() { b.move(Pos{}) }

// Bottom moves the caret to the end of the text.
func (b *Buffer) Bottom() { b.move(b.end()) }

// RowStart moves the caret to the start of its row on the screen.
func (b *Buffer) RowStart() {
	r := b.Rows()[b.CaretRow()]
	b.move(Pos{r.Line, r.From})
}

// RowEnd moves the caret to the end of its row on the screen.
func (b *Buffer) RowEnd() {
	r := b.Rows()[b.CaretRow()]
	b.move(Pos{r.Line, r.last()})
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
