//go:build linux && (amd64 || arm64)

package stamp

import (
	"runtime"
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
	// socketBacklog bounds the bytes of a socket that nobody has read. Above it
	// the thread leaves them to the kernel, whose window then stops the peer.
	socketBacklog = 1 << 20
	// blocksARound is the number of blocks after which the deliverer is called
	// before its next round. It bounds what a flood of bytes takes.
	blocksARound = 6
	// awake is how long the thread keeps its processor of Go's scheduler while it
	// waits.
	awake = 100 * time.Millisecond
)

// Events that the thread waits for, once for each change. The kernel adds HUP
// and ERR.
const (
	socketEvents = unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLET
	endEvents    = unix.EPOLLRDHUP | unix.EPOLLHUP | unix.EPOLLERR
	readEvents   = unix.EPOLLIN | endEvents
	writeEvents  = unix.EPOLLOUT | endEvents
)

// wakeID is the number of the descriptor whose event ends the thread.
const wakeID = 0

// Priority of the thread where it may have no real-time one (root, CAP_SYS_NICE).
const (
	// receiverNice is its nice value where that may be lowered (RLIMIT_NICE).
	receiverNice = -10
	// receiverSlice asks the scheduler, from Linux 6.12 on, to run the thread as
	// soon as it wakes: a thread that wants the CPU for a short time comes before
	// one that wants it for long. It is the shortest that is taken.
	receiverSlice = 100 * time.Microsecond
)

// thread waits for sockets, reads each with its kernel stamp into the log, and
// adds the time. It is one goroutine with an operating system thread of its own.
// It waits for nobody: it takes no lock and makes no memory.
//
// It alone closes what it works with, once it has read the event with which stop
// ends it. So nobody writes to a descriptor that is another one's by then.
type thread struct {
	*receiver
	urgent bool // a socket can write again
	from   receiving
}

// run serves the sockets until stop. A failure of the system ends all streams,
// each with an error.
func (t *thread) run() {
	runtime.LockOSThread() // never unlocked: the thread ends with its priority
	runFirst()
	if errno := t.serve(); errno != 0 {
		t.failed.Store(int32(errno))
		t.ring()
		t.awaitStop()
	}
	_ = unix.Close(t.ep)
	_ = unix.Close(t.wake)
	_ = t.bell.Close() // ends the deliverer
}

// runFirst lets the calling thread run before others, as far as the system allows.
//
// A nice value counts within a session or a control group alone: what the rest
// of this program uses delays the thread beside other programs. A real-time
// priority counts everywhere.
func runFirst() {
	a := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Priority: 1}
	a.Flags = unix.SCHED_FLAG_RESET_ON_FORK
	if unix.SchedSetAttr(0, &a, 0) == nil {
		return
	}
	a = unix.SchedAttr{Size: unix.SizeofSchedAttr, Nice: receiverNice, Runtime: uint64(receiverSlice)}
	if unix.SchedSetAttr(0, &a, 0) == nil {
		return
	}
	a.Nice = 0
	if now, err := unix.SchedGetAttr(0, 0); err == nil {
		a.Nice = now.Nice
	}
	_ = unix.SchedSetAttr(0, &a, 0)
}

// serve waits for events and serves them. It returns 0 after stop, else why the
// system ended the wait.
func (t *thread) serve() syscall.Errno {
	events := make([]unix.EpollEvent, eventsAtOnce)
	for {
		n, errno := t.wait(events)
		if errno != 0 {
			return errno
		}
		stopped := false
		for i := range events[:n] {
			if e := &events[i]; e.Fd == wakeID {
				stopped = true
			} else if s := t.place(e.Fd).Load(); s != nil && s.generation == e.Pad {
				t.event(s, e.Events)
			}
		}
		if stopped {
			return 0
		}
		if n > 0 {
			t.callDeliverer()
		}
	}
}

// wait is epoll_wait. While bytes come it keeps the thread's processor of Go's
// scheduler: a call that gives it up may wait 10 ms for one when it returns. The
// collector does not wait for it, because the signal with which it stops a
// thread ends the wait. After awake without an event it gives the processor up.
func (t *thread) wait(events []unix.EpollEvent) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(t.ep), uintptr(unsafe.Pointer(&events[0])),
		uintptr(len(events)), uintptr(awake.Milliseconds()), 0, 0)
	if errno == 0 && n == 0 {
		n, _, errno = syscall.Syscall6(unix.SYS_EPOLL_PWAIT, uintptr(t.ep), uintptr(unsafe.Pointer(&events[0])),
			uintptr(len(events)), ^uintptr(0), 0, 0)
	}
	switch errno {
	case 0:
		return int(n), 0
	case unix.EINTR:
		return 0, 0
	}
	return 0, errno
}

// event serves one event of a socket.
func (t *thread) event(s *socket, events uint32) {
	if events&writeEvents != 0 && s.blocked.Load() && s.blocked.Swap(false) {
		t.log.room()
		t.log.add(arrival{what: arrivedWritable, id: s.id, generation: s.generation})
		t.urgent = true
	}
	if events&readEvents == 0 {
		return
	}
	s.ending = s.ending || events&endEvents != 0
	if s.open() {
		t.read(s)
		s.drop()
	}
}

// read reads what has arrived at s, up to its end if that has come.
func (t *thread) read(s *socket) {
	for range readsInTurn {
		if s.finished || s.backlog.Load() > socketBacklog && s.pause() {
			return
		}
		room := t.log.room()
		if l := int(s.limit.Load()); l > 0 && l < len(room) {
			room = room[:l]
		}
		n, errno := t.from.read(uintptr(s.fd), room, s.kernel)
		switch {
		case errno == unix.EINTR:
			continue
		case errno == unix.EAGAIN:
			s.full = false
			return
		case errno != 0 || n == 0:
			s.finished = true
			t.log.add(arrival{what: arrivedEnd, id: s.id, generation: s.generation, errno: errno})
			return
		}
		a := arrival{id: s.id, generation: s.generation, size: int32(n), more: s.full, Stamps: t.from.stamp(s.clock)}
		s.full = n == len(room)
		s.backlog.Add(int64(n))
		t.log.add(a)
		if !s.full && !s.ending {
			return // empty: later bytes are a new event
		}
	}
	// The rest after the others: ask for its event again.
	s.rearm()
}

// callDeliverer wakes the deliverer if it waits for what there is now.
func (t *thread) callDeliverer() {
	switch w := t.waits.Load(); w {
	case waitsForNothing:
		return
	case waitsForUrgent:
		if !t.urgent && t.log.begun < blocksARound {
			return
		}
		fallthrough
	default:
		if !t.waits.CompareAndSwap(w, waitsForNothing) {
			return
		}
	}
	t.urgent, t.log.begun = false, 0
	t.ring()
}

// ring wakes the deliverer. It uses the descriptor itself: Go's own Write could let
// the scheduler take the processor away.
func (t *thread) ring() {
	one := [8]byte{1}
	_, _, _ = syscall.RawSyscall(unix.SYS_WRITE, t.bellFD, uintptr(unsafe.Pointer(&one)), uintptr(len(one)))
}

// awaitStop waits for stop after serve has failed.
func (t *thread) awaitStop() {
	for {
		fds := []unix.PollFd{{Fd: int32(t.wake), Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, -1); err != unix.EINTR {
			return
		}
	}
}
