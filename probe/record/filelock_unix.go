//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package record

import (
	"errors"
	"os"
	"syscall"
)

// errLocked means that another open file has the lock.
var errLocked = syscall.EWOULDBLOCK

// tryLock locks f until it is closed or its process ends. It returns errLocked
// when another program has the lock, and another error where the file system
// has no locks.
func tryLock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// processRuns reports whether a process with that ID exists on this machine.
func processRuns(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// syncDir writes a new file's name to the disk, as far as the system can.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

// truncate cuts f, which is at path.
func truncate(f *os.File, _ string, size int64) error { return f.Truncate(size) }
