// Package cell is the path of everything that is drawn many times a second: a
// grid of cells, each a character and a themes.Role, and a painter that turns
// it into one string.
//
// A screen draws like this, every frame:
//
//	g.Clear()
//	g.Box(r, glyphs, themes.Border, "now", themes.Title, "")
//	g.Text(r.X+2, r.Y+1, "41 ms", themes.Strong, r.W-4)
//	frame := g.Paint(palette)
//
// Drawing outside the grid or the clip rectangle is ignored, sizes of 0 and 1
// are fine, and nothing here allocates once the grid has its size, except the
// painter, which makes one string when something changed.
//
// Strings must be safe (see ui/sanitize). As a second line of defence the grid
// never stores a control character.
//
// A Grid belongs to one goroutine.
package draw
