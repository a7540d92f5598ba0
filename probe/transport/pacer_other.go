//go:build !linux

package transport

// newPacer returns the most exact pacer of the platform.
func newPacer(c *Clock) pacer { return newTimerPacer(c) }
