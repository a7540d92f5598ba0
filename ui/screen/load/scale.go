package load

import (
	"math"
	"time"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// Limits of the picture, with their reasons.
const (
	// figuresEvery is the time between two changes of a number or a chart.
	figuresEvery = metrics.Stamp(time.Second / 4)

	// gapMin and gapMax, in ms, are the ends of a decode bar's scale, in height
	// and in tint.
	gapMin, gapMax = draw.GapMin, draw.GapMax

	// tallest is the largest height of a lane, in rows. Higher lanes show no
	// more, and close lanes compare better.
	tallest = 8

	// lateMs is the lag from which it is amber.
	lateMs = 1.0

	// window is the shortest range of the time chart, in seconds. It doubles up
	// to the length of the history.
	window = 60
)

// hot is the color of what is too slow, for lines and blocks. Reverse video,
// which themes without color use for bad values, would make these unreadable.
var hot = themes.Heat(themes.Levels - 1)

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
