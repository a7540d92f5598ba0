//go:build linux && (amd64 || arm64)

package stamp

import (
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// eventsAtOnce is the number of sockets that one wait reports.
	eventsAtOnce = 256
	// readsInTurn bounds the reads of one socket before the others have theirs.
	readsInTurn = 16
	// deliverEvery is the least time between two rounds of the deliverer. At a
	// low rate an arrival is delivered at once. At a high rate a round serves
	// many, for a fraction of the wake-ups. It changes no stamp.
	deliverEvery = 4 * time.Millisecond
	// blocksARound is the number of blocks after which the deliverer is called
	// earlier. It bounds what a flood of bytes takes.
	blocksARound = 6
	// socketBacklog bounds the bytes of a socket that nobody has read. Above it
	// the receiver leaves them to the kernel, whose window then stops the peer.
	socketBacklog = 1 << 20
	// awake is how long after the last arrival the thread keeps its processor.
	awake = 100 * time.Millisecond
	// receiverNice is the nice value of the receiver's thread where it may be
	// lowered (root, CAP_SYS_NICE).
	receiverNice = -10
	// receiverSlice asks the scheduler, from Linux 6.12 on, to run the thread as
	// soon as it wakes: a thread that wants the CPU for a short time comes before
	// one that wants it for long. It is the shortest that is taken.
	receiverSlice = 100 * time.Microsecond
)

// Events that the receiver waits for, once for each change. The kernel adds
// HUP and ERR.
const (
	socketEvents = unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLET
	endEvents    = unix.EPOLLRDHUP | unix.EPOLLHUP | unix.EPOLLERR
)

// wakeID is the number of the descriptor that ends a wait; sockets count from 1.
const wakeID = 0

// receiver reads all attached sockets on one thread of its own. The thread does
// nothing but wait, read and stamp, so that no goroutine delays a read: not the
// renderer, not a decoder, not the wake-up of another stream. A late read matters
// although the kernel stamps segments: it merges them, and only the last stamp
// is left.
//
// The bytes go through the log to the deliverer, a goroutine that passes them to
// whoever reads the connection. The receiver waits for nobody.
type receiver struct {
	ep    int
	wake  int // an eventfd
	log   *log
	slots [256]atomic.Pointer[slots] // sockets by number, in parts
	ring  chan struct{}              // wakes the deliverer
	idle  atomic.Bool                // the deliverer waits for ring
	hurry chan struct{}              // ends a pause of the deliverer
	quit  atomic.Bool

	// Of the thread.
	msg unix.Msghdr
	iov unix.Iovec
	oob [128]byte
}

type slots [256]atomic.Pointer[socket]

// receivers guards the receiver of the process. It exists while sockets are
// attached.
var receivers receiverGroup

type receiverGroup struct {
	mu   sync.Mutex
	r    *receiver
	n    int     // attached sockets
	next int32   // lowest number never given
	free []int32 // numbers given back
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
		g.r, g.next, g.free = r, 1, nil
	}
	g.n++
	id := g.next
	if k := len(g.free); k > 0 {
		id, g.free = g.free[k-1], g.free[:k-1]
	} else if int(id) == len(g.r.slots)*len(slots{}) {
		g.drop()
		return syscall.ENFILE
	} else if g.next++; id%socketsABlock == 0 {
		g.r.log.free(new(block))
	}
	s.id, s.r = id, g.r
	g.r.slot(id).Store(s)
	if err := unix.EpollCtl(g.r.ep, unix.EPOLL_CTL_ADD, s.fd, &unix.EpollEvent{Events: socketEvents, Fd: id}); err != nil {
		g.r.slot(id).Store(nil)
		g.free = append(g.free, id)
		g.drop()
		return err
	}
	return nil
}

// detachSocket ends the receiver's interest in s, which is about to be closed.
func detachSocket(s *socket) {
	g := &receivers
	g.mu.Lock()
	defer g.mu.Unlock()
	_ = unix.EpollCtl(s.r.ep, unix.EPOLL_CTL_DEL, s.fd, nil)
	s.r.slot(s.id).Store(nil)
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

func newReceiver() (*receiver, error) {
	ep, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err == nil {
		if err = unix.EpollCtl(ep, unix.EPOLL_CTL_ADD, wake, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: wakeID}); err != nil {
			_ = unix.Close(wake)
		}
	}
	if err != nil {
		_ = unix.Close(ep)
		return nil, err
	}
	r := &receiver{ep: ep, wake: wake, log: newLog(), ring: make(chan struct{}, 1), hurry: make(chan struct{}, 1)}
	r.msg.Iov = &r.iov
	r.msg.SetIovlen(1)
	go r.receive()
	go r.deliver()
	return r, nil
}

// slot returns the place of a socket's number.
func (r *receiver) slot(id int32) *atomic.Pointer[socket] {
	part := &r.slots[id>>8]
	p := part.Load()
	if p == nil {
		p = new(slots)
		part.Store(p) // attachSocket alone comes first, under the lock
	}
	return &p[id&255]
}

// stop ends both goroutines.
func (r *receiver) stop() {
	r.quit.Store(true)
	_, _ = unix.Write(r.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
}

// receive waits for sockets and reads them until stop.
func (r *receiver) receive() {
	runtime.LockOSThread() // never unlocked: the thread ends with its priority
	first()
	events := make([]unix.EpollEvent, eventsAtOnce)
	var again, later []*socket // that had more to read
	for !r.quit.Load() {
		timeout := awake
		if len(again) > 0 {
			timeout = 0
		}
		n, err := r.poll(events, timeout)
		if err != nil && err != unix.EINTR {
			break // the descriptor is ours: this does not happen
		}
		for _, s := range again {
			if r.read(s) {
				later = append(later, s)
			}
		}
		clear(again)
		again, later = later, again[:0]
		for i := range max(n, 0) {
			if e := &events[i]; e.Fd != wakeID {
				if s := r.slot(e.Fd).Load(); s != nil && r.event(s, e.Events) {
					again = append(again, s)
				}
			}
		}
		if r.idle.Load() && r.idle.CompareAndSwap(true, false) {
			r.ring <- struct{}{}
		}
		if r.log.begun >= blocksARound {
			r.log.begun = 0
			select {
			case r.hurry <- struct{}{}:
			default:
			}
		}
	}
	if r.idle.CompareAndSwap(true, false) {
		r.ring <- struct{}{}
	}
	_ = unix.Close(r.wake)
	_ = unix.Close(r.ep)
}

// first lets the calling thread run before others, as far as the system allows.
func first() {
	a := &unix.SchedAttr{Size: unix.SizeofSchedAttr, Nice: receiverNice, Runtime: uint64(receiverSlice)}
	if unix.SchedSetAttr(0, a, 0) != nil {
		a.Nice = 0
		if now, err := unix.SchedGetAttr(0, 0); err == nil {
			a.Nice = now.Nice
		}
		_ = unix.SchedSetAttr(0, a, 0)
	}
}

// poll is epoll_wait. While bytes come it keeps the thread's processor of Go's
// scheduler: a call that gives it up may wait 10 ms for one when it returns. The
// collector does not wait for it, because the signal with which it stops a
// thread ends the wait. After awake without an event it gives the processor up.
func (r *receiver) poll(events []unix.EpollEvent, timeout time.Duration) (int, error) {
	wait := min(timeout, awake)
	n, _, errno := syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(r.ep), uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)), uintptr(wait.Milliseconds()), 0, 0)
	if errno == unix.EINTR {
		return 0, nil
	}
	if errno == 0 && n > 0 || timeout == 0 {
		return int(n), nil
	}
	return unix.EpollWait(r.ep, events, -1)
}

// event serves one event of a socket and reports whether there is more to read.
func (r *receiver) event(s *socket, events uint32) (more bool) {
	if events&(unix.EPOLLOUT|endEvents) != 0 {
		s.canWrite()
	}
	if events&(unix.EPOLLIN|endEvents) == 0 {
		return false
	}
	s.ending = s.ending || events&endEvents != 0
	return r.read(s)
}

// read reads what has arrived at s, up to its end if that has come. It reports
// whether there may be more.
func (r *receiver) read(s *socket) (more bool) {
	if !s.hold() {
		return false
	}
	defer s.release()
	for range readsInTurn {
		if s.finished || s.backlog.Load() > socketBacklog && s.pause() {
			return false
		}
		room := r.log.room()
		if l := int(s.limit.Load()); l > 0 && l < len(room) {
			room = room[:l]
		}
		r.iov.Base = &room[0]
		r.iov.SetLen(len(room))
		if s.kernel {
			r.msg.Control = &r.oob[0]
			r.msg.SetControllen(len(r.oob))
		}
		n, _, errno := syscall.RawSyscall(unix.SYS_RECVMSG, uintptr(s.fd), uintptr(unsafe.Pointer(&r.msg)), unix.MSG_DONTWAIT)
		switch {
		case errno == unix.EINTR:
		case errno == unix.EAGAIN:
			s.full = false
			return false
		case errno != 0 || n == 0:
			s.finished = true
			now := s.clock.Now()
			r.log.push(arrival{sock: s, at: now, user: now, errno: errno, end: true})
			return false
		default:
			r.arrived(s, room[:n], len(room))
			if !s.full && !s.ending {
				return false // empty: later bytes are a new event
			}
		}
	}
	return true
}

// arrived logs the bytes of one read.
func (r *receiver) arrived(s *socket, data []byte, room int) {
	a := arrival{sock: s, user: s.clock.check(), data: data, more: s.full}
	a.at = a.user
	if s.kernel {
		if wall, ok := kernelStamp(r.oob[:min(int(r.msg.Controllen), len(r.oob))]); ok {
			a.at, a.kernel = s.clock.received(wall, a.user)
		}
	}
	s.full = len(data) == room
	s.backlog.Add(int64(len(data)))
	r.log.push(a)
}

// deliver passes arrivals on until stop.
func (r *receiver) deliver() {
	pass := func(a *arrival) { a.sock.deliver(a) }
	var last time.Time
	pause := time.NewTimer(time.Hour)
	defer pause.Stop()
	for !r.quit.Load() {
		r.log.drain(pass)
		if r.idle.Store(true); !r.log.pending() && !r.quit.Load() || !r.idle.CompareAndSwap(true, false) {
			<-r.ring
		}
		if left := deliverEvery - time.Since(last); left > 0 {
			pause.Reset(left)
			select {
			case <-pause.C:
			case <-r.hurry:
			}
		}
		last = time.Now()
	}
}
