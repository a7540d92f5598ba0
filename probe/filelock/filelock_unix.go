//go:build unix

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// ErrLocked means that another open file has the lock.
var ErrLocked = syscall.EWOULDBLOCK

// Try locks f until it is closed or its process ends. It returns ErrLocked
// when another program has the lock, and another error where the file system
// has no locks.
func Try(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// SyncDir writes a new file's name to the disk, as far as the system can.
func SyncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

// Truncate cuts f, which is at path.
func Truncate(f *os.File, _ string, size int64) error { return f.Truncate(size) }
