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
	y := yBottom
	for ; n >= 8; n -= 8 {
		g.Set(x, y, gl.Bars[7], st)
		y--
	}
	if n > 0 {
		g.Set(x, y, gl.Bars[n-1], st)
	}
}

// HBar draws a bar one row high from x. It fills frac (0 to 1) of w columns,
// in eighths of a column, and returns the columns touched. It leaves the
// cells after it unchanged.
func (g *Grid) HBar(x, y, w int, frac float64, gl *themes.Glyphs, st themes.Role) int {
	n := eighths(frac, w)
	from := x
	for ; n >= 8; n -= 8 {
		g.Set(x, y, gl.Parts[7], st)
		x++
	}
	if n > 0 {
		g.Set(x, y, gl.Parts[n-1], st)
		x++
	}
	return x - from
}

// Gauge draws HBar over an empty track of w columns.
func (g *Grid) Gauge(x, y, w int, frac float64, gl *themes.Glyphs, st, track themes.Role) {
	n := g.HBar(x, y, w, frac, gl, st)
	for ; n < w; n++ {
		g.Set(x+n, y, gl.LightShade, track)
	}
}
