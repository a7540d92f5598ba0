package probetest

import (
	"bytes"
	"fmt"
	"net/url"
	"runtime"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Reference is a client that does nothing but measure: one locked thread, epoll,
// recvmsg and the kernel's stamp of the segment, no framing, no scheduler, no
// goroutine a stream. What it cannot see on this machine nobody can.
type Reference struct {
	UserStamps bool // the clock after the call instead of the kernel's stamp
}

// rawStream is one connection of a Reference.
type rawStream struct {
	fd    int
	got   *Seen
	line  []byte // not yet ended
	ended bool
}

var (
	rawID   = []byte(idHeader + ": ")
	isToken = []byte(`"content":"tok`)
)

// Measure runs n streams of a server on loopback at the same time. base is the
// URL of their script. An error is in the first of what it returns.
func (r Reference) Measure(n int, base string) []Seen {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	got := make([]Seen, n)
	got[0].Err = r.measure(got, base)
	return got
}

// measure runs a stream for each of got.
func (r Reference) measure(got []Seen, base string) error {
	u, err := url.Parse(base)
	if err != nil {
		return err
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		return err
	}
	ep, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(ep)
	streams := make([]rawStream, len(got))
	defer func() {
		for i := range streams {
			if streams[i].fd > 0 {
				_ = unix.Close(streams[i].fd)
			}
		}
	}()
	for i := range streams {
		streams[i].got = &got[i]
		if err := streams[i].connect(port); err != nil {
			return err
		}
		if err := unix.EpollCtl(ep, unix.EPOLL_CTL_ADD, streams[i].fd,
			&unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(i)}); err != nil {
			return err
		}
	}
	time.Sleep(10 * time.Millisecond) // the server takes the connections
	request := fmt.Appendf(nil,
		"POST %s/chat/completions HTTP/1.1\r\nHost: %s\r\nContent-Length: 15\r\n\r\n{\"stream\":true}",
		u.EscapedPath(), u.Host)
	for i := range streams {
		if _, err = unix.Write(streams[i].fd, request); err != nil {
			return err
		}
		got[i].Sent = monotonic()
	}
	return r.receive(ep, streams)
}

// connect opens the connection of s, with room for its tokens.
func (s *rawStream) connect(port int) (err error) {
	s.got.Tokens, s.got.Late = make([]int64, 0, 4096), make([]int64, 0, 4096)
	if s.fd, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0); err != nil {
		return err
	}
	if err = unix.Connect(s.fd, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return err
	}
	_ = unix.SetsockoptInt(s.fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	return unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPING,
		unix.SOF_TIMESTAMPING_RX_SOFTWARE|unix.SOF_TIMESTAMPING_SOFTWARE)
}

// receive reads the streams of ep to their ends.
func (r Reference) receive(ep int, streams []rawStream) error {
	wall := -bracket(64, monotonic, func() int64 { return nowOf(unix.CLOCK_REALTIME) }) // of the kernel's stamps
	events := make([]unix.EpollEvent, 64)
	buf, oob := make([]byte, 16<<10), make([]byte, 128)
	for left := len(streams); left > 0; {
		k, err := unix.EpollWait(ep, events, 10_000)
		if err == unix.EINTR {
			continue
		}
		if err != nil || k == 0 {
			return fmt.Errorf("wait for %d of %d streams, %d tokens of the first: %v",
				left, len(streams), len(streams[0].got.Tokens), err)
		}
		for _, e := range events[:k] {
			s := &streams[e.Fd]
			m, on, _, _, err := unix.Recvmsg(s.fd, buf, oob, unix.MSG_DONTWAIT)
			if err == unix.EAGAIN || err == unix.EINTR {
				continue
			}
			if err != nil || m == 0 {
				return fmt.Errorf("stream %d ended after %d tokens: %v", e.Fd, len(s.got.Tokens), err)
			}
			now := monotonic()
			at := now
			if k, ok := kernelStamp(oob[:on]); ok && !r.UserStamps {
				at = k + wall
			}
			if s.record(buf[:m], at, now); s.ended {
				left--
				_ = unix.EpollCtl(ep, unix.EPOLL_CTL_DEL, s.fd, nil)
			}
		}
	}
	return nil
}

// record books the lines that p ends. They arrived at at, and were read at now.
func (s *rawStream) record(p []byte, at, now int64) {
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			s.line = append(s.line, p...)
			return
		}
		line := p[:i]
		if len(s.line) > 0 {
			s.line = append(s.line, line...)
			line = s.line
		}
		p = p[i+1:]
		switch {
		case bytes.Contains(line, isToken):
			s.got.Tokens, s.got.Late = append(s.got.Tokens, at), append(s.got.Late, now-at)
		case bytes.HasPrefix(line, []byte("data: [DONE]")):
			s.ended = true
		case s.got.Request == 0 && bytes.HasPrefix(line, rawID):
			s.got.Request, _ = strconv.Atoi(string(bytes.TrimSpace(line[len(rawID):])))
		}
		s.line = s.line[:0]
	}
}

// kernelStamp is the software stamp among the control messages, ns since 1970.
func kernelStamp(oob []byte) (int64, bool) {
	if len(oob) < unix.SizeofCmsghdr+16 {
		return 0, false
	}
	h := (*unix.Cmsghdr)(unsafe.Pointer(&oob[0]))
	if h.Level != unix.SOL_SOCKET || h.Type != unix.SO_TIMESTAMPING {
		return 0, false
	}
	ts := (*unix.Timespec)(unsafe.Pointer(&oob[unix.SizeofCmsghdr]))
	return ts.Nano(), ts.Sec != 0
}
