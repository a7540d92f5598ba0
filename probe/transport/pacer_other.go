//go:build !linux

package transport

// newPacer returns the most exact pacer there is.
func newPacer(c *Clock) pacer { return newTimerPacer(c) }
