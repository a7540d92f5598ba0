//go:build linux && (amd64 || arm64)

package probetest

import (
	"net"
	"syscall"
	"unsafe"
)

// rawWriter writes with one raw system call that does not block. One thread
// can therefore serve a thousand streams on time.
type rawWriter struct {
	raw  syscall.RawConn
	try  func(fd uintptr) bool
	data []byte
	n    int
	err  syscall.Errno
}

func (w *rawWriter) init(c net.Conn) {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return
	}
	w.raw = raw
	w.try = func(fd uintptr) bool {
		n, _, errno := syscall.RawSyscall6(syscall.SYS_SENDTO, fd, uintptr(unsafe.Pointer(&w.data[0])), uintptr(len(w.data)),
			syscall.MSG_DONTWAIT|syscall.MSG_NOSIGNAL, 0, 0)
		w.n, w.err = int(n), errno
		return true
	}
}

// tryRaw writes what the socket accepts at once, possibly nothing.
func (w *rawWriter) tryRaw(p []byte) (int, error) {
	if w.raw == nil || len(p) == 0 {
		return 0, nil
	}
	w.data = p
	err := w.raw.Write(w.try)
	w.data = nil
	switch {
	case err != nil:
		return 0, err
	case w.err == syscall.EAGAIN || w.err == syscall.EINTR:
		return 0, nil
	case w.err != 0:
		return 0, w.err
	}
	return w.n, nil
}
