//go:build linux && (amd64 || arm64)

package stamp

import (
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// socket is a connection that the receiver reads. It has left Go's poller,
// which would wake a thread of its own for every arrival.
type socket struct {
	fd            int
	kernel        bool // kernel stamps are requested
	clock         *Clock
	local, remote net.Addr
	r             *receiver
	id            int32 // its number, another socket's once uses is 0
	generation    int32 // another one for each socket

	uses atomic.Int32 // the owner's and those of calls under way
	refs atomic.Int32 // 1 for uses, 1 for the thread while it reads; who drops the last one closes fd

	limit    atomic.Int32 // most bytes of a read; 0: no limit
	backlog  atomic.Int64 // bytes that were received and not read
	paused   atomic.Bool  // the thread waits for less backlog
	blocked  atomic.Bool  // a Write waits for room
	writable chan struct{}
	closing  sync.Once
	closed   chan struct{}

	// Of the thread.
	full     bool // the latest read filled its room
	ending   bool // the peer has closed or reset
	finished bool // the end is logged

	readBy, writeBy deadline
	follower        atomic.Pointer[follower] // nil: arrivals wait for reads

	mu    sync.Mutex // guards the rest, and last of the Conn
	conn  *Conn
	inbox inbox // arrivals that nobody waited for
	end   error // of the connection, behind the inbox; nil: open
	// The read under way: its buffer (nil: none) and result. ready tells that it has one.
	buf   []byte
	n     int
	err   error
	ready chan struct{}
}

// Attach hands the connection to the receiver: a thread of the process that
// reads and stamps all attached connections the moment their bytes come. No
// goroutine delays it. It returns false, and changes nothing, for a connection
// that is no TCP or unix socket, or where the system refuses. Call it before the
// connection is shared.
func (c *Conn) Attach() bool {
	was := c.Conn
	switch was.(type) {
	case *net.TCPConn, *net.UnixConn:
	default:
		return false
	}
	fd := -1
	if c.raw.Control(func(old uintptr) { fd, _ = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 3) }) != nil || fd < 0 {
		return false
	}
	s := &socket{
		fd: fd, kernel: c.kernel, clock: c.clock, local: was.LocalAddr(), remote: was.RemoteAddr(),
		writable: make(chan struct{}, 1), closed: make(chan struct{}), conn: c, ready: make(chan struct{}, 1),
	}
	s.uses.Store(1)
	s.refs.Store(1)
	s.readBy.init()
	s.writeBy.init()
	if attachSocket(s) != nil {
		_ = unix.Close(fd)
		return false
	}
	c.sock, c.Conn, c.raw = s, s, nil
	_ = was.Close() // leaves Go's poller; the connection stays open through fd
	return true
}

// hold keeps fd and the receiver until release. It returns false after Close.
func (s *socket) hold() bool { return another(&s.uses) }

func (s *socket) release() {
	if s.uses.Add(-1) == 0 {
		s.drop()
		forgetSocket(s)
	}
}

// open keeps fd open until drop, for the thread. It returns false if it is closed.
func (s *socket) open() bool { return another(&s.refs) }

func (s *socket) drop() {
	if s.refs.Add(-1) == 0 {
		_ = unix.Close(s.fd)
	}
}

// another adds one to a count that is not 0, else it returns false.
func another(count *atomic.Int32) bool {
	for {
		n := count.Load()
		if n == 0 {
			return false
		}
		if count.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// limitSocket bounds the reads of an attached connection.
func (c *Conn) limitSocket(n int) {
	if c.sock != nil && c.sock.hold() {
		c.sock.limit.Store(int32(n))
		c.sock.release()
	}
}

// Close closes the connection and ends calls under way.
func (s *socket) Close() error {
	err := s.fault("close", net.ErrClosed)
	s.closing.Do(func() {
		close(s.closed)
		detachSocket(s)
		s.unfollow()
		s.release()
		err = nil
	})
	return err
}

// deliver passes an arrival to the read under way, or stores it. Deliverer only.
func (s *socket) deliver(a *arrival, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st, more := a.Stamps, a.more
	if f := s.follower.Load(); f != nil && s.inbox.empty() {
		s.passTo(f, st, more, data)
		return
	}
	if s.buf != nil && s.inbox.empty() {
		n := s.pass(st, more, data)
		if data = data[n:]; len(data) == 0 {
			return
		}
		more = true
	}
	s.inbox.add(st, more, data)
}

// finish ends the connection with err, behind what was delivered. Deliverer only.
func (s *socket) finish(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end == nil {
		s.end = err
		s.done(err)
		s.unfollow()
	}
}

// pass ends the read under way with as much of an arrival as it has room for. The
// caller holds mu.
func (s *socket) pass(st Stamps, more bool, data []byte) (n int) {
	s.n = copy(s.buf, data)
	s.took(st, more, s.n)
	s.done(nil)
	return s.n
}

// took counts n bytes of an arrival as read. The caller holds mu.
func (s *socket) took(st Stamps, more bool, n int) {
	s.conn.arrived(st, more)
	if s.hold() {
		s.consumed(n)
		s.release()
	}
}

// followSocket makes f the follower of an attached connection.
func (c *Conn) followSocket(f *follower) bool {
	s := c.sock
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.follower.Store(f)
	for s.follower.Load() == f && !s.inbox.empty() {
		st, more, data := s.inbox.oldest()
		s.passTo(f, st, more, data)
		s.inbox.remove(len(data))
	}
	ended := s.end != nil
	select {
	case <-s.closed: // Close may have come before there was a follower
		ended = true
	default:
	}
	if ended {
		s.unfollow()
	}
	return true
}

// passTo gives f an arrival. The caller holds mu.
func (s *socket) passTo(f *follower, st Stamps, more bool, data []byte) {
	s.took(st, more, len(data))
	if !f.onArrival(data) {
		s.unfollow()
	}
}

// unfollow lets the follower do the rest, once it has no arrival at hand.
func (s *socket) unfollow() {
	if f := s.follower.Swap(nil); f != nil {
		go func() {
			s.awaitArrival()
			f.onEnd()
		}()
	}
}

// awaitArrival waits until the arrival at hand has been passed on.
func (s *socket) awaitArrival() {
	s.mu.Lock()
	defer s.mu.Unlock()
}

// done ends the read under way, if there is one. The caller holds mu.
func (s *socket) done(err error) {
	if s.buf != nil {
		s.buf, s.err = nil, err
		s.ready <- struct{}{}
	}
}

// pause stops the reading of s, and reports that there is too much backlog still.
// Thread only.
func (s *socket) pause() bool {
	s.paused.Store(true)
	return s.backlog.Load() > socketBacklog
}

// consumed tells the thread that n bytes fewer wait, which may have stopped reading
// s. The caller holds s.
func (s *socket) consumed(n int) {
	if s.backlog.Add(-int64(n)) <= socketBacklog/2 && s.paused.Load() && s.paused.Swap(false) {
		s.rearm()
	}
}

// rearm asks for the event of what waits in the kernel again.
func (s *socket) rearm() { _ = unix.EpollCtl(s.r.ep, unix.EPOLL_CTL_MOD, s.fd, s.events()) }

// events are those of s that the thread waits for.
func (s *socket) events() *unix.EpollEvent {
	return &unix.EpollEvent{Events: socketEvents, Fd: s.id, Pad: s.generation}
}

// Read reads one arrival, or as much of it as p has room for.
func (s *socket) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if err := s.ended(&s.readBy, "read"); err != nil {
		return 0, err
	}
	s.mu.Lock()
	s.buf, s.n = p, 0
	if !s.inbox.empty() {
		st, more, data := s.inbox.oldest()
		s.inbox.remove(s.pass(st, more, data))
	} else if s.end != nil {
		s.done(s.end)
	}
	s.mu.Unlock()
	select {
	case <-s.ready:
	case <-s.closed:
	case <-s.readBy.passed():
	}
	return s.result()
}

// result takes the result of the read under way.
func (s *socket) result() (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.buf != nil { // nothing came before the close or the deadline
		s.done(s.ended(&s.readBy, "read"))
		<-s.ready
	} else {
		select {
		case <-s.ready: // it was done at the same moment
		default:
		}
	}
	return s.n, s.err
}

// canWrite wakes a Write that waits for room.
func (s *socket) canWrite() {
	select {
	case s.writable <- struct{}{}:
	default:
	}
}

// Write writes p whole, unless the connection fails.
func (s *socket) Write(p []byte) (n int, err error) {
	for asked := false; ; {
		if err := s.ended(&s.writeBy, "write"); err != nil {
			return n, err
		}
		if errno := s.r.failed.Load(); errno != 0 { // nothing would end a wait for room
			return n, s.fault("write", os.NewSyscallError("epoll_wait", syscall.Errno(errno)))
		}
		if !s.hold() {
			return n, s.fault("write", net.ErrClosed)
		}
		m, err := unix.SendmsgN(s.fd, p[n:], nil, nil, unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT)
		if err == unix.EAGAIN && !asked {
			s.blocked.Store(true) // and try once more: there may be room since
		}
		s.release()
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN && !asked:
			asked = true
			continue
		case err != nil && err != unix.EAGAIN:
			return n, s.fault("write", os.NewSyscallError("write", err))
		case err == nil:
			if n += m; n == len(p) {
				return n, nil
			}
			continue
		}
		asked = false
		select {
		case <-s.writable:
		case <-s.closed:
		case <-s.writeBy.passed():
		}
	}
}

// ended returns why a call cannot go on: the connection is closed, or d has
// passed.
func (s *socket) ended(d *deadline, op string) error {
	select {
	case <-s.closed:
		return s.fault(op, net.ErrClosed)
	default:
	}
	select {
	case <-d.passed():
		return s.fault(op, os.ErrDeadlineExceeded)
	default:
		return nil
	}
}

func (s *socket) fault(op string, err error) error {
	return &net.OpError{Op: op, Net: s.remote.Network(), Source: s.local, Addr: s.remote, Err: err}
}

func (s *socket) LocalAddr() net.Addr  { return s.local }
func (s *socket) RemoteAddr() net.Addr { return s.remote }

func (s *socket) SetDeadline(t time.Time) error {
	_ = s.SetReadDeadline(t)
	return s.SetWriteDeadline(t)
}

func (s *socket) SetReadDeadline(t time.Time) error {
	s.readBy.set(t)
	return nil
}

func (s *socket) SetWriteDeadline(t time.Time) error {
	s.writeBy.set(t)
	return nil
}

// SyscallConn gives access to the descriptor, for options and counters of the
// socket. Its Read and Write are not supported.
func (s *socket) SyscallConn() (syscall.RawConn, error) { return rawSocket{s}, nil }

type rawSocket struct{ s *socket }

func (r rawSocket) Control(f func(fd uintptr)) error {
	if !r.s.hold() {
		return r.s.fault("raw-control", net.ErrClosed)
	}
	defer r.s.release()
	f(uintptr(r.s.fd))
	return nil
}

func (rawSocket) Read(func(uintptr) bool) error  { return errors.ErrUnsupported }
func (rawSocket) Write(func(uintptr) bool) error { return errors.ErrUnsupported }

// deadline is the moment after which calls of one kind fail.
type deadline struct {
	mu    sync.Mutex
	timer *time.Timer
	calls int // of set
	fired chan struct{}
}

func (d *deadline) init() { d.fired = make(chan struct{}) }

// passed returns a channel that is closed at the deadline.
func (d *deadline) passed() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.fired
}

// set moves the deadline to t; the zero time is none.
func (d *deadline) set(t time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls++
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
	select {
	case <-d.fired:
		d.fired = make(chan struct{})
	default:
	}
	if t.IsZero() {
		return
	}
	mine := d.calls
	pass := func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.calls == mine {
			close(d.fired)
		}
	}
	if left := time.Until(t); left > 0 {
		d.timer = time.AfterFunc(left, pass)
	} else {
		close(d.fired)
	}
}
