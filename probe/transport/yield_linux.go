package transport

import "golang.org/x/sys/unix"

// Yield is Background for goroutines started by other packages. It lowers the
// priority of the calling goroutine's thread for good. A repeated call costs
// one system call.
func Yield() {
	if a, err := unix.SchedGetAttr(0, 0); err == nil && (a.Policy != unix.SCHED_NORMAL || a.Nice >= backgroundNice) {
		return
	}
	_, _ = Background()
}
