package probetest

import (
	"math"
	"time"

	"golang.org/x/sys/unix"

	"tokscope/probe/transport/stamp"
)

// Base returns the difference of CLOCK_MONOTONIC and stamps of clock, in ns.
// All processes of the machine share CLOCK_MONOTONIC. The error is at most
// the width of the narrowest of several brackets, less than 1 µs.
func Base(clock *stamp.Clock) int64 {
	return bracket(256, func() int64 { return int64(clock.Now()) }, monotonic)
}

// bracket returns what is added to the time of one clock for that of another, in ns, by
// the narrowest of n brackets: two readings of from around one of to.
func bracket(n int, from, to func() int64) (add int64) {
	best := int64(math.MaxInt64)
	for range n {
		before := from()
		at := to()
		after := from()
		if w := after - before; w < best {
			best, add = w, at-before-w/2
		}
	}
	return add
}

func monotonic() int64 { return nowOf(unix.CLOCK_MONOTONIC) }

func nowOf(clock int32) int64 {
	var ts unix.Timespec
	_ = unix.ClockGettime(clock, &ts)
	return ts.Nano()
}

// sleep waits d on the calling thread, without the scheduler's timers.
func sleep(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&ts, nil)
}
