//go:build !linux

package transport

// Background does nothing on this platform.
func Background() (undo func(), err error) { return func() {}, nil }

// Yield does nothing on this platform.
func Yield() {}

// newPacer returns the most exact pacer of the platform.
func newPacer(c *Clock) pacer { return newTimerPacer(c) }

// openDescriptors returns 0 and 0: only Linux lists the descriptors of a
// program without a cost.
func openDescriptors() (n, limit int) { return 0, 0 }
