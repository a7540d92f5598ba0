package record

import (
	"os"

	"golang.org/x/sys/windows"
)

// errLocked means that another open file has the lock.
var errLocked = windows.ERROR_LOCK_VIOLATION

// lockAt is the locked byte, as the upper half of its offset. It lies far
// beyond the file's end, because others cannot read locked bytes.
const lockAt = 1 << 30

// tryLock locks f until it is closed or its process ends. It returns errLocked
// when another program has the lock, and another error where the file system
// has no locks.
func tryLock(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: lockAt})
}

// processRuns reports whether a process with that ID may exist.
func processRuns(int) bool { return true }

// syncDir does nothing: Windows writes names with the file.
func syncDir(string) {}

// truncate cuts f, which is at path. A file that is open for appending cannot
// be cut by its own handle.
func truncate(_ *os.File, path string, size int64) error { return os.Truncate(path, size) }
