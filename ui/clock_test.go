package ui

import (
	"testing"
	"time"
)

// Slow frames and late ticks do not slow the clock down. Ticks missed during
// a rest are not made up for.
func TestBeat(t *testing.T) {
	const period = 30 * time.Millisecond
	var c clock
	start := time.Unix(1_800_000_000, 0)
	for _, s := range []struct{ at, want time.Duration }{ // ms
		{0, 30},
		{35, 25},   // the tick of 30 took 5
		{60, 30},   // in time
		{92, 28},   // late by 2
		{149, 1},   // late by 29
		{150, 30},  // all lateness is made up for
		{215, 30},  // a tick was missed: a new period starts
		{230, 30},  // requested before it was due: never two of them within a period
		{9000, 30}, // after a rest
	} {
		if got := c.beat(start.Add(s.at*time.Millisecond), period); got != s.want*time.Millisecond {
			t.Errorf("at %d ms the next beat is %v away, want %d ms", s.at, got, s.want)
		}
	}
}
