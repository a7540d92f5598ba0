package draw

import (
	"strings"

	"tokscope/themes"
	"tokscope/ui/format"
)

// Text writes s from x, y to the right and returns the columns used, at most
// max. Clusters stay whole: a wide one that does not fit ends the text.
// Columns left of the clip count but are not drawn. Columns right of it do
// neither. A row outside the clip returns 0.
func (g *Grid) Text(x, y int, s string, st themes.Role, max int) int {
	if y < g.clip.Y || y >= g.clip.Bottom() {
		return 0
	}
	used, right := 0, g.clip.Right()
	for s != "" && used < max && x+used < right {
		r, w, n, several, loose := first(s)
		if used+w > max {
			break
		}
		at := x + used
		switch {
		case at >= g.clip.X:
			if several {
				r = g.clusters.id(s[:n])
			}
			g.setCell(at, y, cell{r: r, st: st, w: uint8(w), loose: loose})
		default: // only the right of a wide cluster may be inside
			for i := g.clip.X; i < min(at+w, right); i++ {
				g.setCell(i, y, cell{r: ' ', st: st, w: 1})
			}
		}
		used += w
		s = s[n:]
	}
	return used
}

// Right writes s so that it ends before column x, and returns the columns
// used. A text wider than max is cut at its end.
func (g *Grid) Right(x, y int, s string, st themes.Role, max int) int {
	w := min(Width(s), max)
	return g.Text(x-w, y, s, st, w)
}

// Center writes s centered in columns x to x+w-1 and returns the columns
// used. A wider text is cut with an ellipsis.
func (g *Grid) Center(x, y, w int, s string, gl *themes.Glyphs, st themes.Role) int {
	return g.Cut(x+max(w-Width(s), 0)/2, y, s, gl, st, w)
}

// Cut is Text, with an ellipsis at the end if s is wider than max.
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

// Name writes a name from outside, harmless; one wider than max loses its middle.
func (g *Grid) Name(x, y int, s string, gl *themes.Glyphs, st themes.Role, max int) int {
	whole := len(s) <= max
	if s = format.Name(s, max); gl.ASCII && !whole {
		s = strings.Replace(s, "…", string(gl.Ellipsis), 1)
	}
	return g.Text(x, y, s, st, max)
}
