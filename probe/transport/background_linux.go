package transport

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// quietNice is the priority used where SCHED_IDLE is refused.
const quietNice = 19

// Background locks the calling goroutine to its thread and makes the kernel
// run that thread only when no other wants the CPU (SCHED_IDLE; nice 19 where
// that is refused): for decoding and drawing, so that they never delay a
// reader's wake-up. Threads made later do not inherit it.
//
// undo gives the thread back; call it on the same goroutine. Where the kernel
// does not let the thread rise again (an ordinary user usually may not), the
// goroutine stays locked, and the thread ends with the goroutine instead of
// slowing down somebody else. On an error nothing was changed and undo does
// nothing.
func Background() (undo func(), err error) {
	runtime.LockOSThread()
	before, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		runtime.UnlockOSThread()
		return func() {}, fmt.Errorf("read scheduling policy: %w", err)
	}
	idle := &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE, Flags: unix.SCHED_FLAG_RESET_ON_FORK, Nice: before.Nice}
	if err = unix.SchedSetAttr(0, idle, 0); err != nil {
		nice := &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_NORMAL, Flags: unix.SCHED_FLAG_RESET_ON_FORK, Nice: quietNice}
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
