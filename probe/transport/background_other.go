//go:build !linux

package transport

// Background does nothing on this platform.
func Background() (undo func(), err error) { return func() {}, nil }
