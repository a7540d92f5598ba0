package load

import (
	"math"
	"time"

	"tokscope/metrics"
	"tokscope/themes"
)

// Bounds of the picture, together with their reasons.
const (
	// figuresEvery is the time between two changes of a number or a chart.
	figuresEvery = metrics.Stamp(time.Second / 4)

	// gapMin and gapMax, in ms, are the ends of the height of a decode bar and
	// of its tint: below 2 ms no difference is seen, above 2 s all are stuck.
	// They are those of the Live screen, so that a colour means the same there.
	gapMin, gapMax = 2.0, 2000.0

	// tallest is how many rows a lane takes where there are few: higher ones
	// show no more, and the eye compares lanes better when they are close.
	tallest = 8

	// lateMs is from where on the program's own lateness is amber.
	lateMs = 1.0

	// window is the shortest stretch of the time chart, in seconds; it grows in
	// doublings up to what the history holds.
	window = 60
)

// hot is the color of what is too slow, for lines and blocks. Reverse video,
// which themes without color use for bad values, would make these unreadable.
var hot = themes.Heat(themes.Levels - 1)

// heat is the level of a gap in ms, 0 to themes.Levels-1.
func heat(ms float64) int {
	if !(ms > gapMin) {
		return 0
	}
	return min(int(math.Log(ms/gapMin)/math.Log(gapMax/gapMin)*themes.Levels), themes.Levels-1)
}

// share is the height of a gap in ms on a scale of its own, 0 to 1.
func share(ms float64) float64 {
	if !(ms > gapMin/2) {
		return 0.02
	}
	return min(math.Log(ms/(gapMin/2))/math.Log(gapMax/(gapMin/2)), 1)
}

// height is the bar of a gap in ms, 0 to 7: an index into Bars. Only stalls
// use the full block.
func height(ms float64) int {
	if !(ms > gapMin) {
		return 0
	}
	return min(int(math.Log(ms/gapMin)/math.Log(gapMax/gapMin)*7), 6)
}
