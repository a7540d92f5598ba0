package live

import (
	"math"
)

// Limits of the picture, with their reasons.
const (
	// stripMin and stripMax, in ms, are the ends of the gap strip: five decades.
	stripMin, stripMax = 0.1, 10e3

	// fadeStep is how long arrived text keeps each of its tints: 200 ms to the
	// second, 1 s to plain ink. The sequence must be long enough to show a gap,
	// and short enough to leave readable text.
	fadeStep = 200e6 // ns

	// silentAfter is how long nothing must come while decoding until the text panel
	// says so; a reader starts to wonder after a second.
	silentAfter = 1000e6 // ns

	// The time left is shown after the share countdown of a limit has passed,
	// and not before countdownMin, in ns.
	countdown    = 0.2
	countdownMin = 3e9

	// lateMs is the lag from which it is a warning. Above it the gaps of a fast
	// stream are unreliable without kernel stamps.
	lateMs = 1.0

	// firstScale is the smallest scale of the phase bar, in ms; it grows in steps.
	firstScale = 50.0

	// firstLane is the smallest scale of the reading race, in words; it grows in steps.
	firstLane = 50.0
)

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
