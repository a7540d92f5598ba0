//go:build linux && (amd64 || arm64)

package stamp

import (
	"runtime"
	"sync/atomic"
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
	// maxSockets is the number of sockets that can be attached at the same time.
	// Number 0 is the descriptor that ends a wait.
	maxSockets = 1 << 16
	// blocksARound is the number of blocks after which the deliverer is called
	// before its next round. It bounds what a flood of bytes takes.
	//lint:ignore U1000 the assembly uses it
	blocksARound = 6
)

// Events that the thread waits for, once for each change. The kernel adds HUP
// and ERR.
const (
	socketEvents = unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLET
	readEvents   = unix.EPOLLIN | endEvents
	writeEvents  = unix.EPOLLOUT | endEvents
	endEvents    = unix.EPOLLRDHUP | unix.EPOLLHUP | unix.EPOLLERR
)

// What the deliverer waits for.
const (
	waitsForNothing = iota // it is at work
	waitsForAny            // the next arrival
	waitsForUrgent         // the end of its pause, blocksARound, or a socket that can write
)

// Priority of the thread where it may have no real-time one (root, CAP_SYS_NICE).
const (
	// receiverNice is its nice value where that may be lowered (RLIMIT_NICE).
	receiverNice = -10
	// receiverSlice asks the scheduler, from Linux 6.12 on, to run the thread as
	// soon as it wakes: a thread that wants the CPU for a short time comes before
	// one that wants it for long. It is the shortest that is taken.
	receiverSlice = 100 * time.Microsecond
)

// thread is what the receiving thread works with. Go's runtime does not know
// that thread: it runs the few instructions of run (thread_linux_amd64.s,
// thread_linux_arm64.s) and no Go code, so that neither a scheduler, a collector
// nor a profiler ever stops it. It waits for sockets, reads each with its
// kernel stamp into a block of the log, and adds the time.
//
// All of it lies in memory of the system that Go does not manage.
type thread struct {
	ep, bell int32         // epoll; an eventfd that wakes the deliverer
	quit     atomic.Uint32 // not 0: the thread ends after its wait
	waits    atomic.Uint32 // what the deliverer waits for
	tid      atomic.Int32  // the kernel sets it to 0 when the thread has ended
	urgent   uint32        // the thread's: a socket can write again
	begun    uint32        // the thread's: blocks since it last rang
	turns    uint32        // the thread's: reads left of a socket
	spares   atomic.Int32  // blocks of spare
	slots    *[maxSockets]slot
	tail     *block                // the thread's
	spare    atomic.Pointer[block] // a stack: the thread pops, the deliverer pushes
	one      uint64                // what rings bell
	msg      unix.Msghdr
	iov      unix.Iovec
	rearm    unix.EpollEvent
	events   [eventsAtOnce]unix.EpollEvent
	stack    [1 << 10]byte
}

// slot is what the thread knows of a socket. A slot is used again when refs is 0.
type slot struct {
	fd         int32
	id         int32
	generation uint32       // another one for each socket in the slot
	refs       atomic.Int32 // 1 for Go, 1 for the thread while it reads; who drops the last one closes fd
	limit      atomic.Int32 // most bytes of a read; 0: no limit
	paused     atomic.Uint32
	backlog    atomic.Int64  // bytes that were received and not read
	blocked    atomic.Uint32 // a Write waits for room
	kernel     uint32        // 1: kernel stamps are requested
	full       uint32        // the thread's: the latest read filled its room
	ending     uint32        // the thread's: the peer has closed or reset
	finished   uint32        // the thread's: the end is logged
	_          [12]byte
}

// start starts the thread. It is the assembly that clones it, with all signals
// blocked.
//
//go:noescape
func start(t *thread) (errno int32)

// newThread returns the memory of a thread, with descriptors and blocks.
func newThread(ep, bell int) (*thread, error) {
	p, err := system(unsafe.Sizeof(thread{}))
	if err != nil {
		return nil, err
	}
	t := (*thread)(p)
	t.ep, t.bell, t.one = int32(ep), int32(bell), 1
	t.msg.Iov = &t.iov
	t.msg.SetIovlen(1)
	t.rearm.Events = socketEvents
	t.spares.Store(0)
	if p, err = system(unsafe.Sizeof(*t.slots)); err != nil {
		t.drop()
		return nil, err
	}
	t.slots = (*[maxSockets]slot)(p)
	if t.tail, err = newBlock(); err != nil {
		t.drop()
		return nil, err
	}
	return t, nil
}

// begin starts the thread and lets it run before others, as far as the system
// allows.
func (t *thread) begin() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if errno := start(t); errno != 0 {
		return unix.Errno(errno)
	}
	first(int(t.tid.Load()))
	return nil
}

// first lets a thread run before others, as far as the system allows.
//
// A nice value counts within a session or a control group alone: what the rest
// of this program uses delays the thread beside other programs. A real-time
// priority counts everywhere.
func first(tid int) {
	a := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Priority: 1}
	if unix.SchedSetAttr(tid, &a, 0) == nil {
		return
	}
	a = unix.SchedAttr{Size: unix.SizeofSchedAttr, Nice: receiverNice, Runtime: uint64(receiverSlice)}
	if unix.SchedSetAttr(tid, &a, 0) == nil {
		return
	}
	a.Nice = 0
	if now, err := unix.SchedGetAttr(tid, 0); err == nil {
		a.Nice = now.Nice
	}
	_ = unix.SchedSetAttr(tid, &a, 0)
}

// join waits until the thread has ended, after quit and the end of its wait.
func (t *thread) join() {
	for t.tid.Load() != 0 {
		time.Sleep(50 * time.Microsecond)
	}
}

// drop gives the memory of a thread that has ended, or never ran, back. The
// blocks behind tail are the deliverer's.
func (t *thread) drop() {
	for b := t.spare.Load(); b != nil; {
		below := b.below
		b.drop()
		b = below
	}
	if t.slots != nil {
		giveBack(unsafe.Pointer(t.slots), unsafe.Sizeof(*t.slots))
	}
	giveBack(unsafe.Pointer(t), unsafe.Sizeof(*t))
}

// system returns zeroed memory that Go does not manage. It takes room in RAM
// where it is used.
func system(size uintptr) (unsafe.Pointer, error) {
	return unix.MmapPtr(-1, 0, nil, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
}

func giveBack(p unsafe.Pointer, size uintptr) { _ = unix.MunmapPtr(p, size) }
