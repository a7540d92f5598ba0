//go:build linux && (amd64 || arm64)

package stamp

import (
	"sync/atomic"
	"syscall"

	"tokscope/metrics"
)

// Sizes of the receiver's log. An arrival of a stream has 100 to 400 bytes, so
// that a block is full of bytes and of arrivals at about the same time.
const (
	blockBytes    = 32 << 10
	blockArrivals = 128
	// leastRoom is the free space of a block below which a read begins the next
	// one: a read that is cut short costs another one.
	leastRoom = 2 << 10
	// longestRead bounds a read. It is what a flood may bring under one stamp.
	longestRead = 16 << 10
	// socketsABlock is for how many sockets there is one more block. They take
	// what comes while the deliverer is held up, for half a second at 50 chunks/s
	// and socket.
	socketsABlock = 4
)

// arrival is one read of the receiver, or the end of a connection.
type arrival struct {
	sock   *socket
	at     metrics.Stamp // as in Stamps
	user   metrics.Stamp
	data   []byte
	errno  syscall.Errno // a failed read
	kernel bool
	more   bool // the bytes did not fit into the previous read
	end    bool // the peer has closed; errno is 0
}

// block is a run of arrivals with their bytes. The receiver appends and then
// publishes n; the deliverer reads arrivals[:n].
type block struct {
	arrivals [blockArrivals]arrival
	n        atomic.Int32
	next     atomic.Pointer[block]
	below    *block // in the stack of free blocks
	used     int    // of buf; the receiver's
	buf      [blockBytes]byte
}

// log hands arrivals from the receiver's thread to the deliverer, without a
// lock. One log serves all connections: neither side touches a connection that
// has nothing new.
type log struct {
	tail  *block                // the receiver's
	begun int                   // blocks since the receiver last rang in a hurry
	head  *block                // the deliverer's
	from  int32                 // arrivals of head already drained; the deliverer's
	spare atomic.Pointer[block] // a stack: the receiver pops, others push
}

func newLog() *log {
	b := new(block)
	return &log{tail: b, head: b}
}

// free makes b a free block. The last one comes first, so that a log that stays
// short touches little memory.
func (l *log) free(b *block) {
	for {
		b.below = l.spare.Load()
		if l.spare.CompareAndSwap(b.below, b) {
			return
		}
	}
}

// pop returns a free block. Without one it makes one, for which the collector
// may make the thread wait: it happens after a backlog of all others. Receiver
// only, so that no block can be popped and pushed behind its back.
func (l *log) pop() *block {
	for {
		b := l.spare.Load()
		if b == nil {
			return new(block)
		}
		if l.spare.CompareAndSwap(b, b.below) {
			return b
		}
	}
}

// room returns the free bytes for the next arrival. Receiver only.
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

// push appends an arrival whose data, if any, are the beginning of the last
// room. Receiver only.
func (l *log) push(a arrival) {
	t := l.tail
	n := t.n.Load()
	t.arrivals[n] = a
	t.used += len(a.data)
	t.n.Store(n + 1)
}

// drain calls f with every pending arrival, whose data are valid until f returns.
// Deliverer only.
func (l *log) drain(f func(*arrival)) (any bool) {
	for {
		next := l.head.next.Load() // read before n: a block with a successor is complete
		n := l.head.n.Load()
		for ; l.from < n; l.from++ {
			a := &l.head.arrivals[l.from]
			f(a)
			*a = arrival{} // let go of the connection
			any = true
		}
		if next == nil {
			return any
		}
		old := l.head
		l.head, l.from = next, 0
		old.n.Store(0)
		old.next.Store(nil)
		old.used = 0
		l.free(old)
	}
}

// pending reports whether there are arrivals to drain. Deliverer only.
func (l *log) pending() bool {
	return l.head.next.Load() != nil || l.head.n.Load() > l.from
}
