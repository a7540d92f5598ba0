//go:build linux && (amd64 || arm64)

package stamp

import (
	"sync/atomic"
	"syscall"
)

// Sizes of the log. An arrival of a stream has 100 to 400 bytes, so that a block
// is full of bytes and of arrivals at about the same time.
const (
	blockBytes    = 32 << 10
	blockArrivals = 128
	// leastRoom is the free space of a block below which a read begins the next
	// one: a read that is cut short costs another one.
	leastRoom = 2 << 10
	// longestRead bounds a read. It is what a flood may bring under one stamp.
	longestRead = 16 << 10
	// leastSpare and mostSpare bound the number of free blocks. The deliverer makes
	// new ones below leastSpare, so that the thread need not; for that the collector
	// could make it wait. The collector gets those above mostSpare.
	leastSpare = 16
	mostSpare  = 64
)

// What an arrival is.
const (
	arrivedBytes    = iota
	arrivedEnd      // the peer has closed, or a read failed with errno
	arrivedWritable // a socket whose Write was blocked has room
)

// arrival is one read of the thread, or a change of a socket.
type arrival struct {
	Stamps           // without Read
	id         int32 // of the socket
	generation int32
	from, size int32 // its bytes within the block's buf
	errno      syscall.Errno
	what       uint8
	more       bool // the bytes did not fit into the previous read
}

// block is a run of arrivals with their bytes. The thread appends and then
// publishes n; the deliverer reads arrivals[:n]. Its pointers come first, so that
// the collector looks at nothing else.
type block struct {
	next     atomic.Pointer[block]
	below    *block // in the stack of free blocks
	n        atomic.Int32
	used     int // of buf; the thread's
	arrivals [blockArrivals]arrival
	buf      [blockBytes]byte
}

// log hands arrivals from the thread to the deliverer, without a lock. One log
// serves all connections: neither side touches a connection that has nothing new.
type log struct {
	tail   *block                // the thread's
	begun  int                   // the thread's: blocks since it last rang
	head   *block                // the deliverer's
	from   int32                 // the deliverer's: arrivals of head already drained
	spare  atomic.Pointer[block] // a stack: the thread pops, the deliverer pushes
	spares atomic.Int32          // blocks of spare
}

func newLog() *log {
	b := new(block)
	l := &log{tail: b, head: b}
	l.fill()
	return l
}

// fill makes free blocks up to leastSpare. Deliverer only.
func (l *log) fill() {
	for l.spares.Load() < leastSpare {
		l.push(new(block))
	}
}

// free makes b a free block, or drops it when there are enough. Deliverer only.
func (l *log) free(b *block) {
	if l.spares.Load() >= mostSpare {
		return
	}
	b.n.Store(0)
	b.next.Store(nil)
	b.used = 0
	l.push(b)
}

// push puts b onto the stack of free blocks. The last one is used first, so that a
// log that stays short touches little memory.
func (l *log) push(b *block) {
	l.spares.Add(1)
	for {
		b.below = l.spare.Load()
		if l.spare.CompareAndSwap(b.below, b) {
			return
		}
	}
}

// pop returns a free block, a new one if there is none. Only the thread pops, so
// that no block can be popped and pushed behind its back.
func (l *log) pop() *block {
	for {
		b := l.spare.Load()
		if b == nil {
			return new(block)
		}
		if l.spare.CompareAndSwap(b, b.below) {
			l.spares.Add(-1)
			return b
		}
	}
}

// room returns the free bytes for the next arrival. Thread only.
func (l *log) room() []byte {
	t := l.tail
	if t.n.Load() == blockArrivals || blockBytes-t.used < leastRoom {
		b := l.pop()
		t.next.Store(b)
		l.tail, t = b, b
		l.begun++
	}
	return t.buf[t.used:min(t.used+longestRead, blockBytes)]
}

// add appends an arrival of size bytes, which are the first ones of the latest
// room. Thread only.
func (l *log) add(a arrival) {
	t := l.tail
	n := t.n.Load()
	a.from = int32(t.used)
	t.arrivals[n] = a
	t.used += int(a.size)
	t.n.Store(n + 1)
}

// drain calls f with every pending arrival and its bytes, which are valid until
// f returns. Deliverer only.
func (l *log) drain(f func(a *arrival, data []byte)) {
	for {
		next := l.head.next.Load() // read before n: a block with a successor is complete
		n := l.head.n.Load()
		for ; l.from < n; l.from++ {
			a := &l.head.arrivals[l.from]
			f(a, l.head.buf[a.from:a.from+a.size])
		}
		if next == nil {
			l.fill()
			return
		}
		old := l.head
		l.head, l.from = next, 0
		l.free(old)
	}
}

// pending reports whether there are arrivals to drain. Deliverer only.
func (l *log) pending() bool {
	return l.head.next.Load() != nil || l.head.n.Load() > l.from
}
