package draw

import (
	"math"

	"tokscope/themes"
)

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
