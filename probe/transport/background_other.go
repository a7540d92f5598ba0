//go:build !linux

package transport

// Background makes the calling thread yield to all others where the platform
// can do that; here it does nothing.
func Background() (undo func(), err error) { return func() {}, nil }
