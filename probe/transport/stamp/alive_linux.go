package stamp

import "golang.org/x/sys/unix"

// hangup reports whether the peer has closed or reset the connection, even if
// unread bytes come before its end.
func hangup(fd int) bool {
	p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
	n, err := unix.Poll(p, 0)
	return err == nil && n > 0 && p[0].Revents&(unix.POLLRDHUP|unix.POLLHUP|unix.POLLERR) != 0
}
