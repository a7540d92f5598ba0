package dialog

import (
	"cmp"

	"tokscope/themes"
	"tokscope/ui/draw"
)

// airFrom is the inner height from which a box has a blank row at top and
// bottom.
const airFrom = 12

// drawCaret marks the cell of the caret.
func drawCaret(g *draw.Grid, x, y int) {
	under, _ := g.At(x, y)
	under = cmp.Or(under, " ")
	g.Text(x, y, under, themes.Badge, max(draw.Width(under), 1))
}

// frame clears the middle of area, draws a box of at most w by h there, and
// returns the box and its inside. Where a border does not fit, the whole area
// is the inside.
func frame(g *draw.Grid, area draw.Rect, gl *themes.Glyphs, w, h int, title, right string) (box, in draw.Rect) {
	box = area.Center(w, h)
	if area.W-box.W < 4 { // a box that nearly fills the width takes all of it
		box.X, box.W = area.X, area.W
	}
	g.Fill(draw.Rect{X: max(box.X-1, area.X), Y: box.Y, W: min(box.W+2, area.Right()-max(box.X-1, area.X)), H: box.H},
		' ', themes.Text)
	if box.W < 8 || box.H < 3 {
		return box, box
	}
	g.Box(box, gl, themes.BorderFocus, title, themes.Title, right)
	if in = box.Inner(); in.H >= airFrom {
		in = in.Inset(0, 1)
	}
	return box, in
}

// window returns the first of size rows to show of n, so that row at is
// visible. It starts from the first row shown before.
func window(first, at, size, n int) int {
	if at < first {
		first = at
	}
	if at >= first+size {
		first = at - size + 1
	}
	return max(min(first, n-size), 0)
}
