//go:build linux && (amd64 || arm64)

package stamp

import (
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"tokscope/metrics"
)

// deliverEvery is the least time between two rounds of the deliverer. At a low
// rate an arrival is delivered at once. At a high rate a round serves many, for
// a fraction of the wake-ups. It changes no stamp.
const deliverEvery = 4 * time.Millisecond

// receiver reads all attached sockets on one thread of its own, so that no
// goroutine delays a read: not the renderer, not a decoder, not the wake-up of
// another stream. A late read matters although the kernel stamps segments: it
// merges them, and only the last stamp is left.
//
// The bytes go through the log to the deliverer, a goroutine that passes them to
// whoever reads the connection. The thread waits for nobody.
type receiver struct {
	t       *thread
	log     log
	sockets [maxSockets / len(sockets{})]atomic.Pointer[sockets] // by number, in parts
	bell    *os.File
	wake    int // an eventfd that ends the thread's wait
	ep      int
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
	last uint32  // generation of the socket attached last
}

// attachSocket gives s, whose descriptor is fd, to the receiver, which begins to
// read it.
func attachSocket(s *socket, fd int, kernel bool) error {
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
	id, ok := g.number()
	if !ok {
		g.drop()
		return syscall.ENFILE
	}
	g.last++
	s.r, s.slot, s.id, s.generation = g.r, &g.r.t.slots[id], id, g.last
	s.slot.reset(fd, id, g.last, kernel)
	g.r.place(id).Store(s)
	if err := unix.EpollCtl(g.r.ep, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: socketEvents, Fd: id}); err != nil {
		g.r.place(id).Store(nil)
		s.slot.refs.Store(0)
		g.free = append(g.free, id)
		g.drop()
		return err
	}
	return nil
}

// number returns a number whose slot nobody uses. The caller holds mu.
func (g *receiverGroup) number() (id int32, ok bool) {
	for i, id := range g.free {
		if g.r.t.slots[id].refs.Load() == 0 {
			last := len(g.free) - 1
			g.free[i] = g.free[last]
			g.free = g.free[:last]
			return id, true
		}
	}
	if g.next == maxSockets {
		return 0, false
	}
	g.next++
	return g.next - 1, true
}

// reset prepares s for a new socket. refs comes last: the thread may still look
// at an event of the socket before.
func (s *slot) reset(fd int, id int32, generation uint32, kernel bool) {
	s.fd, s.id, s.generation = int32(fd), id, generation
	s.limit.Store(0)
	s.paused.Store(0)
	s.backlog.Store(0)
	s.blocked.Store(0)
	s.kernel, s.full, s.ending, s.finished = 0, 0, 0, 0
	if kernel {
		s.kernel = 1
	}
	s.refs.Store(1)
}

// detachSocket ends the receiver's interest in s.
func detachSocket(s *socket) {
	_ = unix.EpollCtl(s.r.ep, unix.EPOLL_CTL_DEL, s.fd, nil)
	s.r.place(s.id).Store(nil)
}

// forgetSocket gives the number of s back. Nobody uses its slot any more, but
// perhaps the thread.
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
	if err = unix.EpollCtl(ep, unix.EPOLL_CTL_ADD, wake, &unix.EpollEvent{Events: unix.EPOLLIN}); err != nil {
		return nil, err
	}
	t, err := newThread(ep, bell)
	if err != nil {
		return nil, err
	}
	r = &receiver{t: t, log: log{t: t, head: t.tail}, wake: wake, ep: ep}
	if err = t.begin(); err != nil {
		r.log.drop()
		t.drop()
		return nil, err
	}
	r.bell = os.NewFile(uintptr(bell), "receiver")
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

// stop ends the thread and the deliverer.
func (r *receiver) stop() {
	r.t.quit.Store(1)
	_, _ = unix.Write(r.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	_ = r.bell.SetReadDeadline(time.Unix(1, 0))
}

// deliver passes arrivals on until stop.
func (r *receiver) deliver() {
	var last time.Time
	for r.t.quit.Load() == 0 {
		r.deliverAll()
		if r.t.waits.Store(waitsForAny); !r.log.pending() || !r.t.waits.CompareAndSwap(waitsForAny, waitsForNothing) {
			r.listen(time.Time{})
		}
		if left := deliverEvery - time.Since(last); left > 0 && r.t.quit.Load() == 0 {
			r.t.waits.Store(waitsForUrgent)
			r.listen(time.Now().Add(left))
			r.t.waits.Store(waitsForNothing)
		}
		last = time.Now()
	}
	r.t.join()
	r.log.drop()
	r.t.drop()
	_ = r.bell.Close()
	_ = unix.Close(r.wake)
	_ = unix.Close(r.ep)
}

// listen waits for the bell, until a deadline if there is one.
func (r *receiver) listen(until time.Time) {
	_ = r.bell.SetReadDeadline(until)
	if r.t.quit.Load() != 0 { // stop's deadline was overwritten
		return
	}
	var count [8]byte
	_, _ = r.bell.Read(count[:])
}

// deliverAll passes on what is pending.
func (r *receiver) deliverAll() {
	var checked *Clock
	r.log.drain(func(a *arrival, data []byte) {
		s := r.place(a.id).Load()
		if s == nil || s.generation != a.generation {
			return
		}
		if a.what == arrivedWritable {
			s.canWrite()
			return
		}
		if s.clock != checked {
			s.clock.check()
			checked = s.clock
		}
		s.deliver(a, a.stamps(s.clock), data)
	})
}

// stamps returns the times of a on a clock.
func (a *arrival) stamps(c *Clock) Stamps {
	user := c.fromMonotonic(a.read.Nano())
	s := Stamps{At: user, User: user}
	if wall, ok := kernelStamp(a.control[:min(int(a.controls), len(a.control))]); ok {
		s.At, s.Kernel = c.received(wall, user)
	}
	return s
}

// fromMonotonic converts a reading of CLOCK_MONOTONIC in ns.
func (c *Clock) fromMonotonic(ns int64) metrics.Stamp {
	c.monotonic.Do(func() {
		width := int64(-1)
		for range bracketReadings {
			var now unix.Timespec
			before := c.Now()
			_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now)
			after := c.Now()
			if w := int64(after - before); width < 0 || w < width {
				width, c.start = w, now.Nano()-int64(before)-w/2
			}
		}
	})
	return metrics.Stamp(ns - c.start)
}
