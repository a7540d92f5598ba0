package transport

import "time"

const (
	// beatEvery is the distance of two beats: often enough to meet most
	// hold-ups of a few ms, rare enough to cost nothing (0.1 % of a core).
	wakeEvery = 10 * time.Millisecond
	// beatsKept is how many beats are remembered: about five minutes.
	beatsKept = 1 << 15
)
