//go:build linux && (amd64 || arm64)

package stamp

import (
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ends tells connections that their peer has closed or reset them.
//
// A reader that waits for the poller's next edge without asking the socket
// again (ReadWhile) must not miss an end that came together with the last
// bytes: that edge is gone. So the ends have a poller of their own, which does
// not wake for data. It is itself waited for by the runtime's poller, and lives
// as long as it has connections.
type hangupWatcher struct {
	mu    sync.Mutex
	file  *os.File // the epoll descriptor, nil while there are no connections
	conns map[int32]*Conn
	next  int32
}

var hangups = hangupWatcher{conns: map[int32]*Conn{}}

// endEvents ask for an end, once.
const hangupEvents = unix.EPOLLRDHUP | unix.EPOLLONESHOT // HUP and ERR come unasked

// add has c told of its end, and sets its endID; 0 when that is not possible.
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

// remove forgets a connection that is about to be closed.
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

// closeIfIdle ends run. Under mu.
func (e *hangupWatcher) closeIfIdle() {
	if len(e.conns) == 0 && e.file != nil {
		_ = e.file.Close()
		e.file = nil
	}
}

// run tells of ends until the descriptor is closed.
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

// endSeen makes a read that waits look once more. Reader and teller each set
// their flag before they look at the other's, so that one of them sees.
func (c *Conn) hangupSeen() {
	c.hungUp.Store(true)
	if c.parked.Load() {
		_ = c.SetReadDeadline(time.Unix(1, 0))
	}
}

// Close closes the connection.
func (c *Conn) Close() error {
	if id := c.watchID.Swap(-1); id > 0 {
		hangups.remove(id)
	}
	return c.Conn.Close()
}
