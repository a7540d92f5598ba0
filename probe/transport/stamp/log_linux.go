//go:build linux && (amd64 || arm64)

package stamp

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Sizes of the log. An arrival of a stream has 100 to 400 bytes, so that a block
// is full of bytes and of arrivals at about the same time.
const (
	blockBytes    = 32 << 10
	blockArrivals = 128
	// leastRoom is the free space of a block below which a read begins the next
	// one: a read that is cut short costs another one.
	//lint:ignore U1000 the assembly uses it
	leastRoom = 2 << 10
	// longestRead bounds a read. It is what a flood may bring under one stamp.
	longestRead = 16 << 10
	// mostSpare is the number of free blocks that are kept. The others go back to
	// the system.
	mostSpare = 64
)

// What an arrival is.
const (
	arrivedBytes    = iota
	arrivedEnd      // the peer has closed, or a read failed with errno
	arrivedWritable // a socket whose Write was blocked has room
)

// arrival is one read of the thread, or a change of a socket.
type arrival struct {
	id         int32 // of the socket
	generation uint32
	from, size int32 // its bytes within the block's buf
	what       uint32
	errno      uint32
	more       uint32        // 1: the bytes did not fit into the previous read
	controls   uint32        // bytes of control
	read       unix.Timespec // CLOCK_MONOTONIC after the read
	control    [80]byte      // control messages with the kernel's stamp
}

// block is a run of arrivals with their bytes. The thread appends and then
// publishes n; the deliverer reads arrivals[:n].
type block struct {
	n        atomic.Int32
	used     uint64 // of buf; the thread's
	next     atomic.Pointer[block]
	below    *block // in the stack of free blocks
	arrivals [blockArrivals]arrival
	buf      [blockBytes]byte
}

func newBlock() (*block, error) {
	p, err := system(unsafe.Sizeof(block{}))
	return (*block)(p), err
}

// drop gives b back to the system.
func (b *block) drop() { giveBack(unsafe.Pointer(b), unsafe.Sizeof(*b)) }

// free makes b a free block, or gives it back when there are enough. The last
// one comes first, so that a log that stays short touches little memory. Only
// the thread pops, so that no block can be popped and pushed behind its back.
func (t *thread) free(b *block) {
	if t.spares.Load() >= mostSpare {
		b.drop()
		return
	}
	b.n.Store(0)
	b.next.Store(nil)
	b.used = 0
	t.spares.Add(1)
	for {
		b.below = t.spare.Load()
		if t.spare.CompareAndSwap(b.below, b) {
			return
		}
	}
}

// log is the deliverer's side of what the thread has read. There is no lock.
// One log serves all connections: neither side touches a connection that has
// nothing new.
type log struct {
	t    *thread
	head *block
	from int32 // arrivals of head already drained
}

// drain calls f with every pending arrival and its bytes, which are valid until
// f returns.
func (l *log) drain(f func(a *arrival, data []byte)) {
	for {
		next := l.head.next.Load() // read before n: a block with a successor is complete
		n := l.head.n.Load()
		for ; l.from < n; l.from++ {
			a := &l.head.arrivals[l.from]
			f(a, l.head.buf[a.from:a.from+a.size])
		}
		if next == nil {
			return
		}
		old := l.head
		l.head, l.from = next, 0
		l.t.free(old)
	}
}

// pending reports whether there are arrivals to drain.
func (l *log) pending() bool {
	return l.head.next.Load() != nil || l.head.n.Load() > l.from
}

// drop gives the blocks that are not free back.
func (l *log) drop() {
	for b := l.head; b != nil; {
		next := b.next.Load()
		b.drop()
		b = next
	}
}
