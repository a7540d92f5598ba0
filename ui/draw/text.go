package draw

import "tokscope/themes"

// Text writes s from x, y to the right and returns the columns it used, at
// most max. Clusters stay whole: a wide one that does not fit is left out and
// ends the text. What lies left of the clip is counted but not drawn; what
// lies right of it is neither. A row outside the clip takes nothing: 0.
func (g *Grid) Text(x, y int, s string, st themes.Role, max int) int {
	if y < g.clip.Y || y >= g.clip.Bottom() {
		return 0
	}
	used, right := 0, g.clip.Right()
	for s != "" && used < max && x+used < right {
		r, w, n, several := first(s)
		if used+w > max {
			break
		}
		at := x + used
		switch {
		case at >= g.clip.X:
			if several {
				r = g.clusters.id(s[:n])
			}
			g.setCell(at, y, r, w, st)
		case at+w > g.clip.X: // only the right half of a wide one is inside
			g.setCell(at+1, y, ' ', 1, st)
		}
		used += w
		s = s[n:]
	}
	return used
}

// Right writes s so that it ends before column x, and returns the columns
// used. Of a text wider than max the beginning is kept.
func (g *Grid) Right(x, y int, s string, st themes.Role, max int) int {
	w := min(Width(s), max)
	return g.Text(x-w, y, s, st, w)
}

// Center writes s in the middle of the columns x to x+w-1, cut with an
// ellipsis when it is wider, and returns the columns used.
func (g *Grid) Center(x, y, w int, s string, gl *themes.Glyphs, st themes.Role) int {
	return g.Cut(x+max(w-Width(s), 0)/2, y, s, gl, st, w)
}

// Cut is Text that ends with the ellipsis glyph when s is wider than max.
func (g *Grid) Cut(x, y int, s string, gl *themes.Glyphs, st themes.Role, max int) int {
	if max <= 0 {
		return 0
	}
	if Width(s) <= max {
		return g.Text(x, y, s, st, max)
	}
	n := g.Text(x, y, s, st, max-1)
	g.Set(x+n, y, gl.Ellipsis, st)
	return n + 1
}
