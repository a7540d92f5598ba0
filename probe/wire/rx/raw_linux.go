//go:build linux && (amd64 || arm64)

package rx

import (
	"io"
	"net"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"tokscope/metrics"
)

// KernelStamps says whether this platform can stamp received segments.
const KernelStamps = true

// Control asks the kernel to stamp what a socket receives; for net.Dialer and
// net.ListenConfig. It never fails: without stamps our own clock is used.
func Control(_, _ string, rc syscall.RawConn) error {
	_ = rc.Control(func(fd uintptr) {
		const flags = unix.SOF_TIMESTAMPING_RX_SOFTWARE | unix.SOF_TIMESTAMPING_SOFTWARE
		if unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPING, flags) != nil {
			_ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
		}
	})
	return nil
}

// Enable makes the kernel stamp from now on: it begins lazily, some time after
// the first socket on the machine asked, and the first segments of that one
// would come without. stop lets it end again.
func Enable() (stop func()) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return func() {}
	}
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPING, unix.SOF_TIMESTAMPING_RX_SOFTWARE|unix.SOF_TIMESTAMPING_SOFTWARE)
	return func() { _ = unix.Close(fd) }
}

// rawReader reads with recvmsg by a raw system call: it does not block
// (MSG_DONTWAIT), so the scheduler need not be told, which makes it cheaper
// than an ordinary Read. Everything it needs is allocated once.
type rawReader struct {
	raw   syscall.RawConn
	try   func(fd uintptr) bool
	msg   unix.Msghdr
	iov   unix.Iovec
	size  int // of the caller's buffer
	n     int
	errno syscall.Errno
	room  int  // of the last try
	wait  bool // the bytes were waited for
	user  metrics.Stamp
	oob   [128]byte
	want  bool // kernel stamps
}

func (r *rawReader) init(c *Conn, raw syscall.RawConn, kernel bool) {
	r.raw, r.want = raw, kernel
	r.msg.Iov = &r.iov
	r.msg.SetIovlen(1)
	r.try = func(fd uintptr) bool {
		for {
			r.room = c.fit(r.size)
			r.iov.SetLen(r.room)
			if r.want {
				r.msg.Control = &r.oob[0]
				r.msg.SetControllen(len(r.oob))
			}
			n, _, errno := syscall.RawSyscall(unix.SYS_RECVMSG, fd, uintptr(unsafe.Pointer(&r.msg)), unix.MSG_DONTWAIT)
			switch errno {
			case 0:
				r.user = c.clock.check()
				r.n, r.errno = int(n), 0
				return true
			case syscall.EINTR:
			case syscall.EAGAIN:
				r.wait = true
				return false
			default:
				r.n, r.errno = 0, errno
				return true
			}
		}
	}
}

func (r *rawReader) readRaw(c *Conn, p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	r.iov.Base = &p[0]
	r.size, r.wait = len(p), false
	err := r.raw.Read(r.try)
	r.iov.Base = nil
	switch {
	case err != nil:
		return 0, err
	case r.errno != 0:
		return 0, &net.OpError{Op: "read", Net: "tcp", Source: c.LocalAddr(), Addr: c.RemoteAddr(), Err: os.NewSyscallError("recvmsg", r.errno)}
	case r.n == 0:
		return 0, io.EOF
	}
	s := Stamps{At: r.user, User: r.user}
	if wall, ok := r.stamp(); ok {
		if at := c.clock.FromWall(wall); at <= r.user {
			s.At, s.Kernel = at, true
		} else if at-r.user < metrics.Stamp(settled) {
			s.Kernel = true // the same moment within the conversion's accuracy
		}
	}
	c.arrived(s, c.full && !r.wait)
	c.full = r.n == r.room
	return r.n, nil
}

// stamp finds the kernel's stamp (ns since 1970) in the control messages.
func (r *rawReader) stamp() (int64, bool) {
	if !r.want {
		return 0, false
	}
	const head = unix.SizeofCmsghdr
	rest := r.oob[:min(int(r.msg.Controllen), len(r.oob))]
	for len(rest) >= head {
		h := (*unix.Cmsghdr)(unsafe.Pointer(&rest[0]))
		size := int(h.Len)
		if size < head || size > len(rest) {
			return 0, false
		}
		if h.Level == unix.SOL_SOCKET && (h.Type == unix.SO_TIMESTAMPING || h.Type == unix.SO_TIMESTAMPNS) && size >= head+16 {
			ts := (*unix.Timespec)(unsafe.Pointer(&rest[head]))
			if ts.Sec != 0 {
				return ts.Sec*int64(time.Second) + ts.Nsec, true
			}
		}
		rest = rest[min((size+7)&^7, len(rest)):]
	}
	return 0, false
}

// Alive reports whether an idle connection still stands: nothing to read, or
// something, but no end and no error.
func (c *Conn) Alive() bool {
	if c.raw == nil {
		return true
	}
	alive := true
	err := c.raw.Control(func(fd uintptr) {
		var b [1]byte
		n, _, err := unix.Recvfrom(int(fd), b[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		alive = n > 0 || err == unix.EAGAIN || err == unix.EINTR
	})
	return err == nil && alive
}
