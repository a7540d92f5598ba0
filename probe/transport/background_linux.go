package transport

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// backgroundNice is the nice value of a background thread. Beside threads that
// read, it gets a tenth of a busy core. With SCHED_IDLE it got next to nothing,
// also beside other programs. Decoding then starved, and the garbage collector
// waited for a thread that could not run to its next stop.
const backgroundNice = 10

// Background locks the calling goroutine to its thread and lowers the thread's
// priority to nice 10. Decoding and drawing use it, so that they rarely delay a
// reader's wake-up. Threads created later do not inherit the priority. A thread
// that is as low already stays as it is.
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
	low := &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: before.Policy,
		Flags: unix.SCHED_FLAG_RESET_ON_FORK, Nice: max(before.Nice, backgroundNice)}
	if err := unix.SchedSetAttr(0, low, 0); err != nil {
		runtime.UnlockOSThread()
		return func() {}, fmt.Errorf("set scheduling policy: %w", err)
	}
	return func() {
		before.Size = unix.SizeofSchedAttr
		if unix.SchedSetAttr(0, before, 0) == nil {
			runtime.UnlockOSThread()
		}
	}, nil
}

// Yield is Background for goroutines started by other packages. It lowers the
// priority of the calling goroutine's thread for good. A repeated call costs
// one system call.
func Yield() {
	if a, err := unix.SchedGetAttr(0, 0); err == nil && (a.Policy != unix.SCHED_NORMAL || a.Nice >= backgroundNice) {
		return
	}
	_, _ = Background()
}
