//go:build linux

package sim

import (
	"time"

	"golang.org/x/sys/unix"
)

// tightenTimer sets the calling thread's timer slack to 1 µs instead of 50.
func tightenTimer() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1000, 0, 0, 0) }

// sleepExactly sleeps in the kernel for d and holds its thread. The runtime's
// timers fire in steps of about 1.1 ms: 1.4 ms would become 1.1 or 2.2.
func sleepExactly(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&ts, nil) // after a signal, the caller reads the clock again
}
