package chart

import (
	"cmp"
	"unicode"

	"tokscope/metrics/pick"
	"tokscope/themes"
	"tokscope/ui/draw"
)

func (d *drawing) points() {
	for _, l := range pick.All(d.p.Lines) {
		for _, q := range l.Points {
			fx, fy, ok := d.at(q.X, q.Y, l.Right)
			if !ok || q.Mark == 0 {
				continue
			}
			d.setRune(d.column(fx), d.row(fy), q.Mark, cmp.Or(q.Role, l.Role))
		}
	}
}

// rules draws the dashed lines into free cells, each with its label in the
// first free place. The lines of events are drawn before all labels.
func (d *drawing) rules() {
	for _, r := range pick.All(d.p.Rules) {
		if f, ok := d.p.X.At(r.At); ok && r.Vertical && r.Event {
			d.post(r, d.column(f))
		}
	}
	for _, r := range pick.All(d.p.Rules) {
		if r.Vertical {
			if f, ok := d.p.X.At(r.At); ok {
				d.post(r, d.column(f))
				d.postLabel(r, d.column(f))
			}
			continue
		}
		f, ok := d.p.axis(r.Right).At(r.At)
		if !ok {
			continue
		}
		row := d.row(f)
		label := r.Label
		at := d.room(row, draw.Width(label)+2)
		if at < 0 {
			label = r.Short
			at = d.room(row, draw.Width(label)+2)
		}
		dash := d.gl.LineDash
		if d.gl.ASCII { // its dots are those of lines
			dash = d.gl.H
		}
		for col := range d.w {
			if d.free(col, row) {
				d.setRune(col, row, dash, r.Role)
			}
		}
		if at >= 0 && label != "" {
			d.write(at, row, " "+label+" ", r.Role)
		}
	}
}

// post draws a vertical rule without its label.
func (d *drawing) post(r *Rule, col int) {
	for row := range d.h {
		if d.free(col, row) {
			d.setRune(col, row, d.gl.Burst, r.Role)
		}
	}
}

const (
	leastCut = 6  // the width below which a label is not cut further
	mostOver = 16 // the width above which a label is shortened before it covers weak lines
)

// postLabel writes the label of a vertical rule in column col, as high as there is
// room at its right. It uses the left side only if the right has no room, so that
// labels of adjacent rules stay distinguishable. Without room it shortens the
// label. A label of an event covers lines of other rules only without other room,
// first those of weak ones, and no label ever covers another.
func (d *drawing) postLabel(r *Rule, col int) {
	right := func(label string, covers cover) bool { return d.labeled(label, r, col+2, col, covers) }
	left := func(label string) bool { return d.labeled(label, r, col-draw.Width(label)-1, col, nothing) }
	if !r.Event || r.Weak {
		_ = right(r.Label, nothing) || left(r.Label) || right(r.Short, nothing) || left(r.Short)
		return
	}
	brief := draw.Width(r.Label) <= mostOver
	if right(r.Label, nothing) || brief && right(r.Label, weakLines) {
		return
	}
	if r.Cut {
		for n := draw.Width(r.Label) - 1; n >= leastCut; n-- {
			if right(draw.Head(r.Label, n-1)+string(d.gl.Ellipsis), weakLines) {
				return
			}
		}
	}
	_ = brief && right(r.Label, allLines) || right(r.Short, nothing) ||
		right(r.Short, weakLines) || left(r.Label) || left(r.Short) || right(r.Short, allLines)
}

// cover says which lines of rules a label may cover.
type cover uint8

const (
	nothing cover = iota
	weakLines
	allLines
)

// labeled writes label from column at on, beside the rule in column col. It reports
// whether there was room. A line may follow a label at the right of its rule at
// once.
func (d *drawing) labeled(label string, r *Rule, at, col int, covers cover) bool {
	n := draw.Width(label)
	if n == 0 || at+n > d.w {
		return false
	}
	for row := range d.h {
		room := true
		for x := at - 1; x <= at+n && room; x++ {
			room = d.free(x, row) || covers > nothing && x >= at &&
				d.line(x, row, covers == weakLines) || at > col && x == at+n && d.line(x, row, false)
		}
		if room {
			d.write(at, row, label, r.Role)
			return true
		}
	}
	return false
}

// line reports whether a cell holds a line of a vertical rule; weak: of weak ones
// alone.
func (d *drawing) line(col, row int, weak bool) bool {
	if col < 0 || col >= d.w || d.plot[row*d.w+col].r != d.gl.Burst {
		return false
	}
	found := false
	for _, r := range pick.All(d.p.Rules) {
		if f, ok := d.p.X.At(r.At); ok && r.Vertical && d.column(f) == col {
			if found = true; weak && !r.Weak {
				return false // a mark in the same column
			}
		}
	}
	return found
}

// blank reports whether n cells from col on are free.
func (d *drawing) blank(col, row, n int) bool {
	for i := range n {
		if !d.free(col+i, row) {
			return false
		}
	}
	return true
}

// room returns the first column with n free cells from there on in a row, or
// -1.
func (d *drawing) room(row, n int) int {
	for col := 1; col+n < d.w; col++ {
		if d.blank(col, row, n) {
			return col
		}
	}
	return -1
}

func (d *drawing) write(col, row int, s string, st themes.Role) {
	for _, r := range s { // the program's own words: one column per rune
		d.setRune(col, row, r, st)
		col++
	}
}

// notes writes the texts beside their places: right, left, above or below. A
// note never comes so close to another word that both read as one.
func (d *drawing) notes() {
	written := false
	for _, t := range pick.All(d.p.Notes) {
		if t.Else && written {
			continue
		}
		written = false
		fx, fy, ok := d.at(t.X, t.Y, t.Right)
		if !ok {
			continue
		}
		col, row, n := d.column(fx), d.row(fy), draw.Width(t.Text)
		places := [...][2]int{{col + 2, row}, {col - n/2, row - 1}, {col - n - 1, row}, {col - n/2, row + 1},
			{col + 2, row - 1}, {col - n - 1, row + 1}, {col - n - 1, row - 1}, {col + 2, row + 1}}
		if t.Left {
			places[0], places[2] = places[2], places[0]
		}
		for _, at := range places {
			if d.blank(at[0], at[1], n) && !d.word(at[0]-1, at[1]) && !d.word(at[0]+n, at[1]) {
				d.write(at[0], at[1], t.Text, t.Role)
				written = true
				break
			}
		}
	}
}

// word reports whether a cell holds a letter or a digit.
func (d *drawing) word(col, row int) bool {
	if col < 0 || col >= d.w || row < 0 || row >= d.h {
		return false
	}
	r := d.plot[row*d.w+col].r
	return r != d.gl.Ring && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
