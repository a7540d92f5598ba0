//go:build !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd && !windows

package filelock

import (
	"errors"
	"os"
)

// ErrLocked is never returned here.
var ErrLocked = errors.New("locked")

// Try returns an error: this system has no lock that Go offers.
func Try(*os.File) error { return errors.ErrUnsupported }

// SyncDir does nothing.
func SyncDir(string) {}

// Truncate cuts f, which is at path.
func Truncate(f *os.File, _ string, size int64) error { return f.Truncate(size) }
