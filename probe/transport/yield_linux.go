package transport

import "golang.org/x/sys/unix"

// Yield is Background for goroutines that are not ours to start: it makes the
// calling goroutine give way for good, and costs one system call when it
// already does.
func Yield() {
	if a, err := unix.SchedGetAttr(0, 0); err == nil && (a.Policy == unix.SCHED_IDLE || a.Nice >= quietNice) {
		return
	}
	_, _ = Background()
}
