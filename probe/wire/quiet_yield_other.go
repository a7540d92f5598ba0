//go:build !linux

package wire

// Yield does nothing on this system.
func Yield() {}
