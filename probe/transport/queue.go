package transport

import (
	"sync"
	"sync/atomic"

	"tokscope/probe/sse"
)

// blockBytes is the size of a queue's blocks. Most streams have a consumer that
// keeps up, and there may be a thousand of them, so blocks are small and shared.
const blockBytes = 1 << 10

// lineOverhead is what a short line takes beside its data, for the bound on pending
// memory: at most its head and its part of a block's unused end.
const lineOverhead = 64

// takes is the memory of an entry with that many bytes of data. The unused end of a
// block is shorter than an entry, so that a long one counts twice. One that is longer
// than a block has its own.
func takes(size int) int64 {
	if need := mostHead + size; need > blockBytes/8 && need <= blockBytes {
		return int64(2 * need)
	}
	return int64(size + lineOverhead)
}

// blocks are the free blocks of all queues. A backlog of one moment leaves none
// to its stream: what all streams hold is what all have pending.
var blocks = sync.Pool{New: func() any { return &block{buf: make([]byte, blockBytes)} }}

// queue hands lines and reads from the goroutine that reads the connection to the
// one that consumes them, without a lock: a consumer on a thread of low
// priority may be suspended anywhere and must never hold up the reader.
type queue struct {
	tail    *block  // producer's
	used    int32   // bytes of tail; producer's
	written head    // the latest entry of tail; producer's
	fresh   pending // pushed since the last publish; producer's
	head    *block  // consumer's
	from    int32   // bytes of head already drained; consumer's
	taken   head    // the latest entry drained of head; consumer's
	held    []*block
	in      amounts       // pushed; producer's
	out     amounts       // drained; consumer's
	total   *atomic.Int64 // memory that the queues of a transport hold; nil: not counted
	freed   atomic.Bool   // this queue counts in total no more
}

// amounts are bytes of data, numbers of entries and their memory, with one writer.
type amounts struct{ bytes, entries, memory atomic.Int64 }

func (a *amounts) add(p *pending) {
	a.bytes.Add(p.bytes)
	a.entries.Add(p.entries)
	a.memory.Add(p.memory)
}

// pending are bytes of data, numbers of entries and their memory.
type pending struct{ bytes, entries, memory int64 }

func (p *pending) add(size int) {
	p.bytes += int64(size)
	p.entries++
	p.memory += takes(size)
}

// block is a run of entries: for each its head, then its data. The producer
// writes entries and then publishes n, the bytes in use; the consumer reads
// buf[:n]. It has few pointers, so the garbage collector skips a backlog.
type block struct {
	n    atomic.Int32
	next atomic.Pointer[block]
	buf  []byte // never reallocated, because lines point into it
}

func (q *queue) init() {
	b := blocks.Get().(*block)
	q.tail, q.head = b, b
}

// push appends l, a line or a read, with a copy of data. The consumer sees it after
// publish. Producer only.
func (q *queue) push(l sse.Line, data []byte, read bool) {
	t := q.tail
	if need := mostHead + len(data); need > len(t.buf)-int(q.used) {
		t = q.grow(need)
	}
	h := head{at: l.At, user: l.User, number: l.Read, bytes: l.Bytes, size: int32(len(data)), kernel: l.Kernel, read: read}
	q.used += int32(h.encode(t.buf[q.used:], &q.written))
	q.written = h
	q.used += int32(copy(t.buf[q.used:], data))
	q.fresh.add(len(data))
}

// publish lets the consumer see what was pushed, and reports whether there was
// something. It is called once for a read, because each store that another
// thread sees waits for those before it. Producer only.
func (q *queue) publish() bool {
	f := q.fresh
	if f.entries == 0 {
		return false
	}
	q.fresh = pending{}
	q.in.add(&f)
	if q.total != nil && !q.freed.Load() {
		q.total.Add(f.memory)
	}
	q.tail.n.Store(q.used)
	return true
}

// grow appends a block with room for need bytes.
func (q *queue) grow(need int) *block {
	var b *block
	if need > blockBytes {
		b = &block{buf: make([]byte, need)}
	} else {
		b = blocks.Get().(*block)
	}
	q.tail.n.Store(q.used) // before next: a block with a successor is complete
	q.tail.next.Store(b)
	q.tail, q.used, q.written = b, 0, head{}
	return b
}

// mostDrained and mostDrainedBytes are the lines and reads, and the bytes of
// data, after which drain takes no further block. They bound what a consumer
// holds of one stream at a time.
const (
	mostDrained      = 1024
	mostDrainedBytes = 256 << 10
)

// drain replaces b's lines and reads by those that are pending, and returns
// true when it left some. Consumer only.
func (q *queue) drain(b *Batch) (rest bool) {
	q.release()
	b.Lines, b.Reads = b.Lines[:0], b.Reads[:0]
	var drained pending
	for {
		next := q.head.next.Load() // read before n: a block with a successor is complete
		for n := q.head.n.Load(); q.from < n; {
			data := q.readEntry()
			h := &q.taken
			drained.add(len(data))
			if h.read {
				b.Reads = append(b.Reads,
					Read{At: h.at, User: h.user, Number: h.number, Bytes: h.bytes, Kernel: h.kernel, Data: data, Lines: len(b.Lines)})
			} else {
				b.Lines = append(b.Lines,
					sse.Line{Data: data, At: h.at, User: h.user, Read: h.number, Bytes: h.bytes, Kernel: h.kernel})
			}
		}
		if next == nil {
			break
		}
		q.held = append(q.held, q.head)
		q.head, q.from, q.taken = next, 0, head{}
		if rest = len(b.Lines)+len(b.Reads) >= mostDrained || drained.bytes >= mostDrainedBytes; rest {
			break
		}
	}
	q.out.add(&drained)
	if q.total != nil && !q.freed.Load() {
		q.total.Add(-drained.memory)
	}
	return rest
}

// readEntry reads the entry at from into taken and returns its data. Consumer only.
func (q *queue) readEntry() []byte {
	start := q.from + int32(q.taken.decode(q.head.buf[q.from:]))
	q.from = start + q.taken.size
	return q.head.buf[start:q.from:q.from]
}

// release gives up the blocks of the last batch. Consumer only.
func (q *queue) release() {
	for _, old := range q.held {
		if len(old.buf) == blockBytes {
			old.n.Store(0)
			old.next.Store(nil)
			blocks.Put(old)
		}
	}
	clear(q.held)
	q.held = q.held[:0]
}

// free gives up what the consumer holds, after its last drain. Lines of the
// last Batch are no longer valid. Consumer only.
func (q *queue) free() {
	q.release()
	q.held = nil
	if q.total != nil && !q.freed.Swap(true) {
		q.total.Add(-q.pending().memory)
	}
}

// pending returns what is published but not drained.
func (q *queue) pending() pending {
	return pending{
		q.in.bytes.Load() - q.out.bytes.Load(),
		q.in.entries.Load() - q.out.entries.Load(), q.in.memory.Load() - q.out.memory.Load(),
	}
}
