//go:build !linux

package transport

// Yield does nothing on this platform.
func Yield() {}
