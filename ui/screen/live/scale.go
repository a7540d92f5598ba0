package live

import (
	"math"

	"tokscope/themes"
)

// Bounds of the picture, together with their reasons.
const (
	// heatMin and heatMax, in ms, are the ends of the tint of text and bars: up
	// to 2 ms nobody can tell from no gap, from 2 s on everybody calls it stuck.
	// Twelve levels over three decades are four a decade.
	heatMin, heatMax = 2.0, 2000.0

	// stripMin and stripMax, in ms, are the ends of the gap strip: five decades.
	stripMin, stripMax = 0.1, 10e3

	// fadeStep is how long arrived text keeps each of its tints: 200 ms to the
	// second, 1 s to plain ink. The sequence must last long enough for the eye
	// to see a gap, and short enough to leave text that can be read.
	fadeStep = 200e6 // ns

	// quiet is how long nothing must come while decoding until the text panel
	// says so; a reader starts to wonder after a second.
	quiet = 1000e6 // ns

	// countdown is the part of a bound that must have passed until the time that
	// is left is shown, and countdownMin the least time, in ns.
	countdown    = 0.2
	countdownMin = 3e9

	// lateMs is from where on the program's own lateness is a warning: above it
	// the gaps of a fast stream are not to be trusted without kernel stamps.
	lateMs = 1.0

	// firstScale is the smallest scale of the phase bar, in ms; it grows in steps.
	firstScale = 50.0

	// firstLane is the smallest scale of the reading race, in words; it grows in steps.
	firstLane = 50.0
)

// heat is the level of a gap in ms: 0 to themes.Levels-1.
func heat(ms float64) int {
	if !(ms > heatMin) {
		return 0
	}
	return min(int(math.Log(ms/heatMin)/math.Log(heatMax/heatMin)*themes.Levels), themes.Levels-1)
}

// height is the place of a gap in ms on the strip's scale, 0 to 1.
func height(ms float64) float64 {
	if !(ms > stripMin) {
		return 0
	}
	return min(math.Log(ms/stripMin)/math.Log(stripMax/stripMin), 1)
}

// rise is the height of a gap in ms in a plot of h rows, as a share. A number
// of the axis marks the middle of its row. So 10 s lies half a row below the
// upper edge, and 0.1 ms half a row below the lower one. Every known gap
// leaves a trace.
func rise(ms float64, h int) float64 {
	return max(height(ms)-0.5/float64(h), 1e-6)
}

// nice is the smallest of 1, 2, 5, 10, 20, 50 … times a power of ten that
// holds v and is at least first. A scale then grows in few, round steps.
func nice(first, v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(first)))
	for range 40 {
		for _, m := range [...]float64{1, 2, 5} {
			if n := m * unit; n >= first && n >= v {
				return n
			}
		}
		unit *= 10
	}
	return first
}
