package draw

import (
	"math"

	"tokscope/metrics"
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

// blankDots is the braille pattern without a dot.
const blankDots = 0x2800

// dotBits holds the bit of each dot, by row and column.
var dotBits = [4][2]rune{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}

// Dot returns braille pattern r with the dot at column x, 0 or 1, and row y,
// 0 to 3, set. An r that is not a braille pattern counts as blank. Curves use
// it, with two by four dots per cell.
func Dot(r rune, x, y int) rune {
	if r < blankDots || r > blankDots+0xff {
		r = blankDots
	}
	return r | dotBits[y&3][x&1]
}

// GapMin and GapMax, in ms, are the ends of a gap's color scale, the same on
// every screen. A gap up to 2 ms is invisible; from 2 s on a reader calls the
// stream stuck. Twelve levels over three decades are four a decade.
const GapMin, GapMax = 2.0, 2000.0

// GapShare is the height of a gap in ms, 0 to 1, on a logarithmic scale from the given
// gap to GapMax; least is that of a smaller one.
func GapShare(ms, from, least float64) float64 {
	if !(ms > from) {
		return least
	}
	return min(math.Log(ms/from)/math.Log(GapMax/from), 1)
}

// Heat is the level of a gap in ms on a logarithmic scale from GapMin to
// GapMax, 0 to themes.Levels-1. A gap up to GapMin is 0, and so is NaN.
func Heat(ms float64) int {
	return min(int(GapShare(ms, GapMin, 0)*themes.Levels), themes.Levels-1)
}

// Outcome returns the sign and the role of how a request ended, the same in every
// list; format.Outcome is the word. A request that has not ended is a dot.
func Outcome(gl *themes.Glyphs, s metrics.State) (rune, themes.Role) {
	switch s {
	case metrics.Done:
		return gl.Check, themes.Good
	case metrics.Failed:
		return gl.Fail, themes.Bad
	case metrics.Truncated:
		return gl.Stall, themes.Warn
	case metrics.Cancelled:
		return gl.Ring, themes.Dim
	}
	return gl.Bullet, themes.Dim
}
