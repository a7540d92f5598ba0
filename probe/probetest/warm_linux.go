package probetest

import "golang.org/x/sys/unix"

// warmer sends some bytes to itself over loopback, on the same path as a
// stream's writes. After a pause of the thread that path is cold. The first
// write would take 35 to 60 µs instead of 5 to 15, and the log would be less
// exact by that much. No other process sees these bytes.
type warmer struct {
	from, to int // sockets; 0 means none
	bytes    [200]byte
}

// newWarmer returns a warmer. It does nothing if sockets are refused.
func newWarmer() *warmer {
	w := &warmer{}
	ln, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return w
	}
	defer unix.Close(ln)
	if unix.Bind(ln, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}) != nil || unix.Listen(ln, 1) != nil {
		return w
	}
	at, err := unix.Getsockname(ln)
	if err != nil {
		return w
	}
	if w.from, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0); err != nil {
		w.from = 0
		return w
	}
	_ = unix.SetsockoptInt(w.from, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	if unix.Connect(w.from, at) == nil {
		if w.to, _, err = unix.Accept4(ln, unix.SOCK_CLOEXEC); err != nil {
			w.to = 0
		}
	}
	return w
}

// warm exercises the path twice.
func (w *warmer) warm() {
	if w.to == 0 {
		return
	}
	for range 2 {
		n, err := unix.SendmsgN(w.from, w.bytes[:], nil, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
		if err != nil || n == 0 {
			return
		}
		_, _, _ = unix.Recvfrom(w.to, w.bytes[:], unix.MSG_DONTWAIT)
	}
}

func (w *warmer) close() {
	for _, fd := range []int{w.from, w.to} {
		if fd != 0 {
			_ = unix.Close(fd)
		}
	}
}
