//go:build !linux

package transport

// Yield does nothing on this system.
func Yield() {}
