package explain

import (
	"math"
	"time"

	"tokscope/metrics"
	"tokscope/themes"
)

// Bounds of the picture, together with their reasons.
const (
	// figuresEvery is the time between two changes of a number: one that
	// changes faster cannot be read.
	figuresEvery = metrics.Stamp(time.Second / 4)

	// columnTime is how long, on the wall, a column of the timeline stands for:
	// at 40 columns a second the eye still follows what moves.
	columnTime = 0.025

	// typicalMost is how many columns a typical step takes at most, so that
	// several are in view however slow time is: enough for its words.
	typicalMost = 16

	// gapFrom is from how many columns of a typical step on a blank one
	// separates it from the next; below it would hide more than it shows.
	gapFrom = 2.4

	// aheadShare of the width is left for the step under way in slow motion.
	aheadShare = 10

	// flashFor is how long a preemption draws the eye, on the wall.
	flashFor = 1.2

	// trail is how many steps the roofline keeps in view.
	trail = 48

	// gapMin and gapMax, in ms, are the ends of a gap's colour and height. They
	// are those of the Live screen, so that a colour means the same there.
	gapMin, gapMax = 2.0, 2000.0

	// slippedFrom is by how many seconds this machine must be behind its model
	// until that is said: less is made up for by the next step.
	slippedFrom = 0.05
)

// heat is the level of a gap in ms, 0 to themes.Levels-1.
func heat(ms float64) int {
	if !(ms > gapMin) {
		return 0
	}
	return min(int(math.Log(ms/gapMin)/math.Log(gapMax/gapMin)*themes.Levels), themes.Levels-1)
}

// gapShare is the height of a gap in ms, 0 to 1, from gapMin/4 on.
func gapShare(ms float64) float64 {
	const low = gapMin / 4
	if !(ms > low) {
		return 0.05
	}
	return min(math.Log(ms/low)/math.Log(gapMax/low), 1)
}

// limit is the sign of what binds a part of a step: shape and colour.
func (p *pen) limit(name string) (rune, themes.Role) {
	switch name {
	case "bandwidth":
		return p.Glyphs.Block, themes.Decode
	case "compute":
		return p.Glyphs.Shade, themes.Prefill
	}
	return p.Glyphs.MidShade, themes.Queue
}
