package draw

import (
	"math"

	"tokscope/themes"
)

// eighths returns frac of n cells in eighths of a cell. A positive frac gives
// at least one eighth, so it never looks like 0. NaN is 0.
func eighths(frac float64, n int) int {
	if !(frac > 0) || n <= 0 {
		return 0
	}
	return max(int(math.Round(min(frac, 1)*float64(8*n))), 1)
}

// Bar draws a column one cell wide up from row yBottom. It fills frac (0 to
// 1) of height rows, in eighths of a row. It leaves the cells above
// unchanged.
func (g *Grid) Bar(x, yBottom, height int, frac float64, gl *themes.Glyphs, st themes.Role) {
	n := eighths(frac, height)
	g.Down(x, yBottom-n/8+1, n/8, gl.Bars[7], st)
	if n%8 > 0 {
		g.Set(x, yBottom-n/8, gl.Bars[n%8-1], st)
	}
}

// HBar draws a bar one row high from x. It fills frac (0 to 1) of w columns,
// in eighths of a column, and returns the columns touched. It leaves the
// cells after it unchanged.
func (g *Grid) HBar(x, y, w int, frac float64, gl *themes.Glyphs, st themes.Role) int {
	n := eighths(frac, w)
	g.Across(x, y, n/8, gl.Parts[7], st)
	if n%8 > 0 {
		g.Set(x+n/8, y, gl.Parts[n%8-1], st)
	}
	return (n + 7) / 8
}

// Gauge draws HBar over an empty track of w columns.
func (g *Grid) Gauge(x, y, w int, frac float64, gl *themes.Glyphs, st, track themes.Role) {
	n := g.HBar(x, y, w, frac, gl, st)
	g.Across(x+n, y, w-n, gl.LightShade, track)
}
