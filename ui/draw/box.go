package draw

import "tokscope/themes"

// rule separates the parts of a title. Box draws it as a piece of the border,
// in the glyph set and the border's role.
const rule = '─'

// Box draws the border of r with a title at the left of the top line and a
// second text at its right:
//
//	╭ stream 3 ─ decoding ───────────── p50 6.8 ──╮
//	│                                             │
//	╰─────────────────────────────────────────────╯
//
// A "─" within title or right becomes a piece of the border. A long title is
// cut with an ellipsis. The right text is dropped if it does not fit after
// the title: half a figure is a wrong figure. The inside is unchanged. A box
// smaller than 2x2 is a line, or nothing.
func (g *Grid) Box(r Rect, gl *themes.Glyphs, border themes.Role, title string, titleStyle themes.Role, right string) {
	if r.Empty() {
		return
	}
	x1, y1 := r.Right()-1, r.Bottom()-1
	g.Across(r.X, r.Y, r.W, gl.H, border)
	g.Across(r.X, y1, r.W, gl.H, border)
	if r.H > 1 && r.W > 1 {
		g.Down(r.X, r.Y+1, r.H-2, gl.V, border)
		g.Down(x1, r.Y+1, r.H-2, gl.V, border)
		g.Set(r.X, r.Y, gl.TL, border)
		g.Set(x1, r.Y, gl.TR, border)
		g.Set(r.X, y1, gl.BL, border)
		g.Set(x1, y1, gl.BR, border)
	}
	g.title(r, r.Y, gl, border, title, titleStyle)
	g.right(r, gl, border, Width(title), right, titleStyle)
}

// title writes the title of a line from border to border: corner, blank, title, blank,
// corner.
func (g *Grid) title(r Rect, y int, gl *themes.Glyphs, border themes.Role, title string, st themes.Role) {
	if room := r.W - 4; title != "" && room > 0 {
		g.Set(r.X+1, y, ' ', border)
		n := g.caption(r.X+2, y, title, gl, border, st, room)
		g.Set(r.X+2+n, y, ' ', border)
	}
}

// right writes a text at the right of a box's upper line, if all of it fits beside a
// title of that many columns: line, blank, right, blank, line, line, corner.
func (g *Grid) right(r Rect, gl *themes.Glyphs, border themes.Role, title int, right string, st themes.Role) {
	n := Width(right)
	if n == 0 || title+n+9 > r.W || r.H < 2 {
		return
	}
	x := r.Right() - 4 - n
	g.Set(x-1, r.Y, ' ', border)
	g.caption(x, r.Y, right, gl, border, st, n)
	g.Set(x+n, r.Y, ' ', border)
}

// caption writes s with its rules in the border's role. It returns the
// columns used.
func (g *Grid) caption(x, y int, s string, gl *themes.Glyphs, border, st themes.Role, max int) int {
	n := g.Cut(x, y, s, gl, st, max)
	at := 0
	for rest := s; rest != "" && at < n; {
		r, w, size, _, _ := first(rest)
		if r == rule && (at+w < n || Width(s) <= max) {
			g.Set(x+at, y, gl.H, border)
		}
		at += w
		rest = rest[size:]
	}
	return n
}

// Rule draws a horizontal line through a box from border to border, with a
// title as in Box.
func (g *Grid) Rule(r Rect, y int, gl *themes.Glyphs, border themes.Role, title string, titleStyle themes.Role) {
	if r.W < 2 {
		return
	}
	g.Set(r.X, y, gl.TeeL, border)
	g.Across(r.X+1, y, r.W-2, gl.H, border)
	g.Set(r.Right()-1, y, gl.TeeR, border)
	g.title(r, y, gl, border, title, titleStyle)
}
