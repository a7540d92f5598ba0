package explain

import (
	"tokscope/themes"
	"tokscope/ui/draw"
)

// Limits of the picture, with their reasons.
const (
	// columnTime is the wall time of one column of the timeline. The eye can
	// still follow 40 columns a second.
	columnTime = 0.025

	// typicalMost is the largest width of a typical step, in columns: enough
	// for its words. Several steps then stay visible in slow time.
	typicalMost = 16

	// gapFrom is the width of a typical step, in columns, from which a blank
	// column separates steps. Below it the blank would hide more than it shows.
	gapFrom = 2.4

	// aheadShare of the width is left for the running step in slow motion.
	aheadShare = 10

	// flashFor is how long a preemption is highlighted, in wall seconds.
	flashFor = 1.2

	// trailSteps is how many steps the roofline shows.
	trailSteps = 48

	// rowSample is how many steps decide which parts of a step have a row: so
	// many that rows do not change from prompt to prompt.
	rowSample = 1024

	// slippedFrom is the delay of this machine behind its model, in seconds,
	// from which it is reported. The next step makes up for less.
	slippedFrom = 0.05
)

// gapShare is the height of a gap in ms, 0 to 1.
func gapShare(ms float64) float64 { return draw.GapShare(ms, draw.GapMin/4, 0.05) }

// limit returns the sign of what limits a part of a step: shape and color.
func (p *canvas) limit(name string) (rune, themes.Role) {
	switch name {
	case "bandwidth":
		return p.Glyphs.Block, themes.Decode
	case "compute":
		return p.Glyphs.Shade, themes.Prefill
	}
	return p.Glyphs.MidShade, themes.Queue
}
