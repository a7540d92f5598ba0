package load

import (
	"tokscope/themes"
	"tokscope/ui/draw"
)

// Limits of the picture, with their reasons.
const (
	// tallest is the largest height of a lane, in rows. Higher lanes show no
	// more, and close lanes compare better.
	tallest = 8

	// window is the shortest range of the time chart, in seconds. It doubles up
	// to the length of the history.
	window = 60
)

// hot is the color of what is too slow, for lines and blocks. Reverse video,
// which themes without color use for bad values, would make these unreadable.
var hot = themes.Heat(themes.Levels - 1)

// share is the height of a gap in ms on a scale of its own, 0 to 1.
func share(ms float64) float64 { return draw.GapShare(ms, draw.GapMin/2, 0.02) }

// height is the bar of a gap in ms, 0 to 7: an index into Bars. Only stalls
// use the full block.
func height(ms float64) int {
	return min(int(draw.GapShare(ms, draw.GapMin, 0)*7), 6)
}
