package probetest

import (
	"time"

	"golang.org/x/sys/unix"

	rx "tokscope/probe/transport/stamp"
)

// Base returns what has to be added to a stamp of clock to get nanoseconds of
// CLOCK_MONOTONIC, which all processes of the machine share. It is right to
// the width of the narrowest of some brackets, less than a microsecond.
func Base(clock *rx.Clock) int64 {
	best, base := int64(-1), int64(0)
	for range 256 {
		var ts unix.Timespec
		before := int64(clock.Now())
		_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
		after := int64(clock.Now())
		if w := after - before; best < 0 || w < best {
			best, base = w, ts.Nano()-before-w/2
		}
	}
	return base
}

// sleep waits d on the calling thread, without the scheduler's timers.
func sleep(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&ts, nil)
}
