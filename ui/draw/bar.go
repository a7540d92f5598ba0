package draw

import (
	"math"

	"tokscope/themes"
)

// eighths turns frac of n cells into eighths of a cell. What is above 0 shows
// at least one eighth: something there must not look like nothing. NaN is 0.
func eighths(frac float64, n int) int {
	if !(frac > 0) || n <= 0 {
		return 0
	}
	return max(int(math.Round(min(frac, 1)*float64(8*n))), 1)
}

// Bar draws a column of one cell's width that stands on row yBottom and fills
// frac (0 to 1) of height rows, in eighths of a row. Cells above it are left
// alone.
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

// HBar draws a bar of one row's height from x that fills frac (0 to 1) of w
// columns, in eighths of a column. Cells behind it are left alone. It returns
// the columns touched.
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

// Gauge is HBar over an empty track of w columns.
func (g *Grid) Gauge(x, y, w int, frac float64, gl *themes.Glyphs, st, track themes.Role) {
	n := g.HBar(x, y, w, frac, gl, st)
	for ; n < w; n++ {
		g.Set(x+n, y, gl.LightShade, track)
	}
}

// Spark draws one Bar a value from x to the right, at most w of them: the
// newest at the right end, so that of too many the oldest are left out.
// Values are shares of the height, 0 to 1; NaN leaves a gap.
func (g *Grid) Spark(x, yBottom, w, height int, values []float64, gl *themes.Glyphs, st themes.Role) {
	values = values[max(len(values)-max(w, 0), 0):]
	for i, v := range values {
		g.Bar(x+i, yBottom, height, v, gl, st)
	}
}
