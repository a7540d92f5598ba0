//go:build linux && (amd64 || arm64)

package stamp

import (
	"io"
	"net"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// KernelStamps reports whether this platform can stamp received segments.
const KernelStamps = true

// Control asks the kernel to stamp what a socket receives. It is a hook for
// net.Dialer and net.ListenConfig. It always returns nil: without kernel stamps,
// Conn uses the user-space clock.
func Control(_, _ string, rc syscall.RawConn) error {
	_ = rc.Control(func(fd uintptr) {
		const flags = unix.SOF_TIMESTAMPING_RX_SOFTWARE | unix.SOF_TIMESTAMPING_SOFTWARE
		if unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPING, flags) != nil {
			_ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
		}
	})
	return nil
}

// Enable keeps kernel stamping on until stop is called. The kernel starts to
// stamp some time after the first socket on the machine asked. Without Enable,
// the first segments of that socket would have no stamp.
func Enable() (stop func()) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return func() {}
	}
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPING,
		unix.SOF_TIMESTAMPING_RX_SOFTWARE|unix.SOF_TIMESTAMPING_SOFTWARE)
	return func() { _ = unix.Close(fd) }
}

// rawReader reads with recvmsg as a raw system call. The call does not block
// (MSG_DONTWAIT), so it can skip the scheduler and is cheaper than net.Conn's
// Read. A read allocates nothing.
type rawReader struct {
	raw    syscall.RawConn
	sock   *socket // after Attach
	try    func(fd uintptr) bool
	from   receiving
	buf    []byte // the caller's
	n      int    // bytes of buf read
	errno  syscall.Errno
	end    bool // the connection has ended
	wait   bool // the read found the socket empty and waits
	kernel bool // kernel stamps are requested
}

// receiving is a call of recvmsg that does not wait, with room for the kernel's stamp.
type receiving struct {
	msg unix.Msghdr
	iov unix.Iovec
	oob [128]byte
}

// read reads what has arrived at fd into p, which is not empty. kernel: with its stamp.
func (r *receiving) read(fd uintptr, p []byte, kernel bool) (int, syscall.Errno) {
	r.iov.Base = &p[0]
	r.iov.SetLen(len(p))
	r.msg.Iov = &r.iov
	r.msg.SetIovlen(1)
	r.msg.Control = nil
	r.msg.SetControllen(0)
	if kernel {
		r.msg.Control = &r.oob[0]
		r.msg.SetControllen(len(r.oob))
	}
	n, _, errno := syscall.RawSyscall(unix.SYS_RECVMSG, fd, uintptr(unsafe.Pointer(&r.msg)), unix.MSG_DONTWAIT)
	ordered()
	return int(n), errno
}

// stamp returns the stamps of the read that has just returned, without its number.
func (r *receiving) stamp(clock *Clock) Stamps {
	now := clock.check()
	s := Stamps{At: now, User: now}
	if wall, ok := kernelStamp(r.oob[:min(int(r.msg.Controllen), len(r.oob))]); ok {
		s.At, s.Kernel = clock.received(wall, now)
	}
	return s
}

func (r *rawReader) init(c *Conn, raw syscall.RawConn, kernel bool) {
	r.raw, r.kernel = raw, kernel
	r.try = func(fd uintptr) bool {
		for {
			room := c.fit(len(r.buf))
			n, errno := r.from.read(fd, r.buf[:room], r.kernel)
			switch errno {
			case 0:
				if r.end = n == 0; !r.end {
					c.arrived(r.from.stamp(c.clock), c.full && !r.wait)
					r.n, c.full = n, n == room
				}
				return true
			case syscall.EINTR:
			case syscall.EAGAIN:
				r.wait = true
				return false
			default:
				r.errno = errno
				return true
			}
		}
	}
}

// readRaw returns after one arrival, or when the connection ends or fails.
func (r *rawReader) readRaw(c *Conn, p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	r.buf, r.n, r.errno, r.end, r.wait = p, 0, 0, false, false
	err := r.raw.Read(r.try)
	r.buf, r.from.iov.Base = nil, nil
	switch {
	case err != nil:
	case r.errno != 0:
		err = &net.OpError{Op: "read", Net: "tcp", Source: c.LocalAddr(),
			Addr: c.RemoteAddr(), Err: os.NewSyscallError("recvmsg", r.errno)}
	case r.end:
		err = io.EOF
	}
	return r.n, err
}

// kernelStamp returns the kernel's stamp in ns since 1970 from the control
// messages of a read. It returns false without one.
func kernelStamp(oob []byte) (int64, bool) {
	const head = unix.SizeofCmsghdr
	for len(oob) >= head {
		h := (*unix.Cmsghdr)(unsafe.Pointer(&oob[0]))
		size := int(h.Len)
		if size < head || size > len(oob) {
			return 0, false
		}
		if h.Level == unix.SOL_SOCKET &&
			(h.Type == unix.SO_TIMESTAMPING || h.Type == unix.SO_TIMESTAMPNS) && size >= head+16 {
			ts := (*unix.Timespec)(unsafe.Pointer(&oob[head]))
			if ts.Sec != 0 {
				return ts.Sec*int64(time.Second) + ts.Nsec, true
			}
		}
		oob = oob[min((size+7)&^7, len(oob)):]
	}
	return 0, false
}
