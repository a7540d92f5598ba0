//go:build unix

package transport

import (
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
