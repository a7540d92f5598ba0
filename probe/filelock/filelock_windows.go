package filelock

import (
	"os"

	"golang.org/x/sys/windows"
)

// ErrLocked means that another open file has the lock.
var ErrLocked = windows.ERROR_LOCK_VIOLATION

// lockAt is the locked byte, as the upper half of its offset. It lies far
// beyond the file's end, because others cannot read locked bytes.
const lockAt = 1 << 30

// Try locks f until it is closed or its process ends. It returns ErrLocked
// when another program has the lock, and another error where the file system
// has no locks.
func Try(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: lockAt})
}

// SyncDir does nothing: Windows writes names with the file.
func SyncDir(string) {}

// Truncate cuts f, which is at path. A file that is open for appending cannot
// be cut by its own handle.
func Truncate(_ *os.File, path string, size int64) error { return os.Truncate(path, size) }
