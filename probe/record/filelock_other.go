//go:build !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd && !windows

package record

import (
	"errors"
	"os"
)

// errLocked is never returned here.
var errLocked = errors.New("locked")

// tryLock returns an error: this system has no lock that Go offers.
func tryLock(*os.File) error { return errors.ErrUnsupported }

// processRuns reports whether a process with that ID may exist.
func processRuns(int) bool { return true }

// syncDir does nothing.
func syncDir(string) {}

// truncate cuts f, which is at path.
func truncate(f *os.File, _ string, size int64) error { return f.Truncate(size) }
