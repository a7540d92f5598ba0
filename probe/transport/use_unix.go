//go:build unix

package transport

import (
	"math"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the user and system time of this program, below 0 when it is
// unknown.
func cpuTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return -1
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// fileLimit returns how many files this program may have open, 0 when it is unknown or
// unlimited.
func fileLimit() int {
	var l unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &l) == nil && l.Cur < math.MaxInt32 {
		return int(l.Cur)
	}
	return 0
}
