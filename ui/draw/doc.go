// Package draw draws everything that is drawn many times a second. A grid
// holds cells, each with a character and a themes.Role. A Patch makes the bytes
// that change what a terminal shows into the grid (patch.go). A
// Canvas writes boxes, texts and figures (canvas.go).
//
// A screen draws like this, every frame:
//
//	g.Clear()
//	g.Box(r, glyphs, themes.Border, "now", themes.Title, "")
//	g.Text(r.X+2, r.Y+1, "41 ms", themes.Strong, r.W-4)
//	bytes = patch.Append(bytes[:0], g, palette)
//
// Panels draw with a Canvas, which holds the grid, the glyphs and the strings of
// one frame. A Line fills a row from the left.
//
// Drawing outside the grid or the clip rectangle is ignored. Sizes of 0 and 1
// are allowed. Nothing here allocates once the grid has its size.
//
// Strings must be sanitized (see ui/sanitize). As a second defense, the grid
// never stores a control character.
//
// A Grid is not safe for concurrent use.
package draw
