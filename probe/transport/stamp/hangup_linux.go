//go:build linux && (amd64 || arm64)

package stamp

import (
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// hangupWatcher notifies connections when their peer closes or resets them.
//
// ReadWhile waits for the poller's next edge without another read. It would miss
// a hangup that arrived together with the last bytes, because that edge is used
// up. So hangups have an epoll descriptor of their own, which ignores data. The
// runtime's poller waits for that descriptor. It is open while connections are
// watched. hangupWatcher is safe for concurrent use.
type hangupWatcher struct {
	mu    sync.Mutex
	file  *os.File // the epoll descriptor, nil while there are no connections
	conns map[int32]*Conn
	next  int32
}

var hangups = hangupWatcher{conns: map[int32]*Conn{}}

// hangupEvents requests one notification of a hangup.
const hangupEvents = unix.EPOLLRDHUP | unix.EPOLLONESHOT // epoll always reports HUP and ERR

// add watches c for a hangup, sets its watchID and returns it. It returns 0
// if c cannot be watched.
func (e *hangupWatcher) add(c *Conn) (id int32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.file == nil && !e.open() {
		return 0
	}
	ep, err := e.file.SyscallConn()
	if err != nil {
		return 0
	}
	e.next = max(e.next+1, 1)
	id = e.next
	_ = ep.Control(func(ep uintptr) {
		err = c.raw.Control(func(fd uintptr) {
			if unix.EpollCtl(int(ep), unix.EPOLL_CTL_ADD, int(fd), &unix.EpollEvent{Events: hangupEvents, Fd: id}) != nil {
				id = 0
			}
		})
	})
	if err != nil || id == 0 {
		e.closeIfIdle()
		return 0
	}
	if e.conns[id] = c; !c.watchID.CompareAndSwap(0, id) { // closed meanwhile
		delete(e.conns, id)
		e.closeIfIdle()
		return 0
	}
	return id
}

// remove stops watching the connection with this id, before it is closed.
func (e *hangupWatcher) remove(id int32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.conns, id)
	e.closeIfIdle()
}

func (e *hangupWatcher) open() bool {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return false
	}
	if err := unix.SetNonblock(fd, true); err != nil { // so that os uses the poller
		_ = unix.Close(fd)
		return false
	}
	e.file = os.NewFile(uintptr(fd), "epoll")
	raw, err := e.file.SyscallConn()
	if err != nil {
		_ = e.file.Close()
		e.file = nil
		return false
	}
	go e.run(raw)
	return true
}

// closeIfIdle closes the descriptor if no connection is watched, which ends
// run. The caller holds mu.
func (e *hangupWatcher) closeIfIdle() {
	if len(e.conns) == 0 && e.file != nil {
		_ = e.file.Close()
		e.file = nil
	}
}

// run reports hangups until the descriptor is closed.
func (e *hangupWatcher) run(raw syscall.RawConn) {
	events, n := make([]unix.EpollEvent, 64), 0
	poll := func(ep uintptr) bool {
		n, _ = unix.EpollWait(int(ep), events, 0)
		return n > 0
	}
	for raw.Read(poll) == nil {
		for _, event := range events[:n] {
			e.mu.Lock()
			c := e.conns[event.Fd]
			e.mu.Unlock()
			if c != nil {
				c.hangupSeen()
			}
		}
	}
}

// hangupSeen interrupts a waiting read, so that it reads again. Reader and
// watcher each set their own flag before they read the other's. At least one of
// them therefore sees the hangup.
func (c *Conn) hangupSeen() {
	c.hungUp.Store(true)
	if c.parked.Load() {
		_ = c.SetReadDeadline(time.Unix(1, 0))
	}
}

// Close stops watching for a hangup and closes the connection.
func (c *Conn) Close() error {
	if id := c.watchID.Swap(-1); id > 0 {
		hangups.remove(id)
	}
	return c.Conn.Close()
}
