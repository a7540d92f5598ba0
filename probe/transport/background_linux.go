package transport

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// backgroundNice is the nice value used where SCHED_IDLE is refused.
const backgroundNice = 19

// Background locks the calling goroutine to its thread and lowers the
// thread's priority. The kernel then runs it only when no other thread wants
// the CPU (SCHED_IDLE, or nice 19 where that is refused). Decoding and
// drawing use it, so that they never delay a reader's wake-up. Threads
// created later do not inherit the priority.
//
// undo restores the thread. Call it on the same goroutine. An ordinary user
// usually may not raise a priority again. In that case the goroutine stays
// locked, and the thread ends with it instead of slowing down other
// goroutines. On an error nothing changes, and undo does nothing.
func Background() (undo func(), err error) {
	runtime.LockOSThread()
	before, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		runtime.UnlockOSThread()
		return func() {}, fmt.Errorf("read scheduling policy: %w", err)
	}
	idle := &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE, Flags: unix.SCHED_FLAG_RESET_ON_FORK, Nice: before.Nice}
	if err = unix.SchedSetAttr(0, idle, 0); err != nil {
		nice := &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_NORMAL, Flags: unix.SCHED_FLAG_RESET_ON_FORK, Nice: backgroundNice}
		if unix.SchedSetAttr(0, nice, 0) != nil {
			runtime.UnlockOSThread()
			return func() {}, fmt.Errorf("set scheduling policy: %w", err)
		}
	}
	return func() {
		before.Size = unix.SizeofSchedAttr
		if unix.SchedSetAttr(0, before, 0) == nil {
			runtime.UnlockOSThread()
		}
	}, nil
}
