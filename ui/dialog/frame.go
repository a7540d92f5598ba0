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

// frame draws a box in area, whose rows beside it and one above and below are blank, and
// returns it and its inside. A box that nearly fills the width takes all of it; where a border does
// not fit, the whole box is the inside.
func frame(g *draw.Grid, area draw.Rect, gl *themes.Glyphs, box draw.Rect, title, right string) (drawn, in draw.Rect) {
	if area.W-box.W < 4 {
		box.X, box.W = area.X, area.W
	}
	g.Fill(area.Intersect(draw.Rect{X: area.X, Y: box.Y - 1, W: area.W, H: box.H + 2}), ' ', themes.Text)
	if box.W < 8 || box.H < 3 {
		return box, box
	}
	g.Box(box, gl, themes.BorderFocus, title, themes.Title, right)
	return box, box.Inner()
}

// air leaves the first and the last row of the inside of a box blank, where it has room.
func air(in draw.Rect) draw.Rect {
	if in.H < airFrom {
		return in
	}
	return in.Inset(0, 1)
}

// drawFoot writes text into the lower border of a box, where it has room.
func drawFoot(g *draw.Grid, box draw.Rect, text string, role themes.Role) {
	if n := draw.Width(text); n > 0 && n+8 < box.W {
		g.Text(box.Right()-n-5, box.Bottom()-1, " "+text+" ", role, n+2)
	}
}
