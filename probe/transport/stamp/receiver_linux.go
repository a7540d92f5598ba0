//go:build linux && (amd64 || arm64)

package stamp

import (
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// deliverEvery is the least time between two rounds of the deliverer. At a low
// rate an arrival is delivered at once. At a high rate a round serves many, for
// a fraction of the wake-ups. It changes no stamp.
const deliverEvery = 4 * time.Millisecond

// What the deliverer waits for.
const (
	waitsForNothing = iota // it is at work
	waitsForAny            // the next arrival
	waitsForUrgent         // the end of its pause, blocksARound, or a socket that can write
)

// maxSockets is the number of sockets that can be attached at the same time.
const maxSockets = 1 << 16

// receiver reads all attached sockets on one thread of its own, so that no
// goroutine delays a read: not the renderer, not a decoder, not the wake-up of
// another stream. A late read matters although the kernel stamps segments: it
// merges them, and only the last stamp is left.
//
// The bytes go through the log to the deliverer, a goroutine that passes them to
// whoever reads the connection. The thread waits for nobody.
type receiver struct {
	ep      int
	wake    int // an eventfd that ends the thread
	bell    *os.File
	bellFD  uintptr // bell, an eventfd that wakes the deliverer
	log     *log    // from the thread to the deliverer
	waits   atomic.Uint32
	failed  atomic.Int32                                         // why the system ended the thread's work, 0: it did not
	sockets [maxSockets / len(sockets{})]atomic.Pointer[sockets] // by number, in parts
}

type sockets [256]atomic.Pointer[socket]

// receivers guards the receiver of the process. It exists while sockets are
// attached.
var receivers receiverGroup

type receiverGroup struct {
	mu   sync.Mutex
	r    *receiver
	n    int     // attached sockets
	next int32   // lowest number never given
	free []int32 // numbers given back
	last int32   // generation of the socket attached last
}

// attachSocket gives s to the receiver, which begins to read it.
func attachSocket(s *socket) error {
	g := &receivers
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.r == nil {
		r, err := newReceiver()
		if err != nil {
			return err
		}
		g.r, g.next, g.free = r, wakeID+1, nil
	}
	g.n++
	id, ok := g.number()
	if !ok {
		g.drop()
		return syscall.ENFILE
	}
	g.last++
	s.r, s.id, s.generation = g.r, id, g.last
	g.r.place(id).Store(s)
	err := unix.EpollCtl(g.r.ep, unix.EPOLL_CTL_ADD, s.fd, s.events())
	if errno := g.r.failed.Load(); err == nil && errno != 0 { // no thread would read it
		err = syscall.Errno(errno)
	}
	if err != nil {
		g.r.place(id).Store(nil)
		g.free = append(g.free, id)
		g.drop()
	}
	return err
}

// number returns a number that no socket has. The caller holds mu.
func (g *receiverGroup) number() (id int32, ok bool) {
	if k := len(g.free); k > 0 {
		id, g.free = g.free[k-1], g.free[:k-1]
		return id, true
	}
	if g.next == maxSockets {
		return 0, false
	}
	g.next++
	return g.next - 1, true
}

// detachSocket ends the receiver's interest in s.
func detachSocket(s *socket) {
	_ = unix.EpollCtl(s.r.ep, unix.EPOLL_CTL_DEL, s.fd, nil)
	s.r.place(s.id).Store(nil)
}

// forgetSocket gives the number of s back. Nobody uses s any more, but perhaps the
// thread.
func forgetSocket(s *socket) {
	g := &receivers
	g.mu.Lock()
	defer g.mu.Unlock()
	g.free = append(g.free, s.id)
	g.drop()
}

// drop counts one socket less and stops the receiver after the last. The caller
// holds mu.
func (g *receiverGroup) drop() {
	if g.n--; g.n == 0 {
		g.r.stop()
		g.r = nil
	}
}

func newReceiver() (r *receiver, err error) {
	fds := [3]int{-1, -1, -1}
	defer func() {
		for _, fd := range fds {
			if err != nil && fd >= 0 {
				_ = unix.Close(fd)
			}
		}
	}()
	if fds[0], err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, err
	}
	for i := range fds[1:] {
		if fds[1+i], err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
			return nil, err
		}
	}
	ep, wake, bell := fds[0], fds[1], fds[2]
	if err = unix.EpollCtl(ep, unix.EPOLL_CTL_ADD, wake, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: wakeID}); err != nil {
		return nil, err
	}
	r = &receiver{ep: ep, wake: wake, log: newLog(), bellFD: uintptr(bell), bell: os.NewFile(uintptr(bell), "receiver")}
	go (&thread{receiver: r}).run()
	go r.deliver()
	return r, nil
}

// place returns where the socket of a number is.
func (r *receiver) place(id int32) *atomic.Pointer[socket] {
	part := &r.sockets[int(id)/len(sockets{})]
	p := part.Load()
	if p == nil {
		p = new(sockets)
		part.Store(p) // attachSocket alone comes first, under the lock
	}
	return &p[int(id)%len(sockets{})]
}

// stop ends the thread, and with it the deliverer.
func (r *receiver) stop() {
	_, _ = unix.Write(r.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
}

// deliver passes arrivals on until the thread has ended.
func (r *receiver) deliver() {
	var last time.Time
	for {
		r.log.drain(r.pass)
		if errno := r.failed.Load(); errno != 0 {
			r.endAll(syscall.Errno(errno))
		}
		r.waits.Store(waitsForAny)
		if !r.log.pending() || !r.waits.CompareAndSwap(waitsForAny, waitsForNothing) {
			if !r.listen(time.Time{}) {
				return
			}
		}
		if left := deliverEvery - time.Since(last); left > 0 {
			r.waits.Store(waitsForUrgent)
			if !r.listen(time.Now().Add(left)) {
				return
			}
			r.waits.Store(waitsForNothing)
		}
		last = time.Now()
	}
}

// listen waits for the bell, until a deadline if there is one. It returns false
// once the thread has ended.
func (r *receiver) listen(until time.Time) bool {
	_ = r.bell.SetReadDeadline(until)
	var count [8]byte
	_, err := r.bell.Read(count[:])
	return err == nil || errors.Is(err, os.ErrDeadlineExceeded)
}

// pass passes an arrival to its socket.
func (r *receiver) pass(a *arrival, data []byte) {
	s := r.place(a.id).Load()
	switch {
	case s == nil || s.generation != a.generation:
	case a.what == arrivedWritable:
		s.canWrite()
	case a.what == arrivedEnd && a.errno != 0:
		s.finish(s.fault("read", os.NewSyscallError("recvmsg", a.errno)))
	case a.what == arrivedEnd:
		s.finish(io.EOF)
	default:
		s.deliver(a, data)
	}
}

// endAll ends all sockets with an error of the system.
func (r *receiver) endAll(errno syscall.Errno) {
	for i := range r.sockets {
		part := r.sockets[i].Load()
		if part == nil {
			continue
		}
		for j := range part {
			if s := part[j].Load(); s != nil {
				s.finish(s.fault("read", os.NewSyscallError("epoll_wait", errno)))
				s.canWrite()
			}
		}
	}
}
