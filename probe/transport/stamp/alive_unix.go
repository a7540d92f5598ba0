//go:build unix

package stamp

import "golang.org/x/sys/unix"

// Alive reports whether an idle connection is still open, as far as the kernel
// knows at this moment. It consumes no bytes and does not wait. Without a file
// descriptor it returns true.
func (c *Conn) Alive() bool {
	raw := c.Descriptor()
	if raw == nil {
		return true
	}
	alive := true
	err := raw.Control(func(fd uintptr) {
		var b [1]byte
		n, _, err := unix.Recvfrom(int(fd), b[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		alive = (n > 0 || err == unix.EAGAIN || err == unix.EINTR) && !hangup(int(fd))
	})
	return err == nil && alive
}
