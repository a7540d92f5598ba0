package transport

import (
	"sync"
	"sync/atomic"

	"tokscope/probe/sse"
)

// blockBytes is the size of a queue's blocks. Most streams have a consumer that
// keeps up, and there may be a thousand of them, so blocks are small and shared.
const blockBytes = 1 << 10

// lineOverhead is what a line takes beside its data, for the bound on pending
// bytes: at most its head and its part of a block's unused end.
const lineOverhead = 64

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

// amounts are bytes of data and numbers of entries, with one writer.
type amounts struct{ bytes, entries atomic.Int64 }

func (a *amounts) add(bytes, entries int64) {
	a.bytes.Add(bytes)
	a.entries.Add(entries)
}

// pending are bytes of data and numbers of entries.
type pending struct{ bytes, entries int64 }

// memory is what that many bytes and entries take.
func memory(bytes, entries int64) int64 { return bytes + entries*lineOverhead }

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

// push appends l with a copy of data. The consumer sees it after publish. Producer
// only.
func (q *queue) push(l sse.Line, data []byte) { q.add(l, data, false) }

// pushRead appends a read with a copy of data. Producer only.
func (q *queue) pushRead(l sse.Line, data []byte) { q.add(l, data, true) }

func (q *queue) add(l sse.Line, data []byte, read bool) {
	t := q.tail
	if need := mostHead + len(data); need > len(t.buf)-int(q.used) {
		t = q.grow(need)
	}
	h := head{at: l.At, user: l.User, number: l.Read, bytes: l.Bytes, size: int32(len(data)), kernel: l.Kernel, read: read}
	q.used += int32(h.encode(t.buf[q.used:], &q.written))
	q.written = h
	q.used += int32(copy(t.buf[q.used:], data))
	q.fresh.bytes += int64(len(data))
	q.fresh.entries++
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
	q.in.add(f.bytes, f.entries)
	if q.total != nil && !q.freed.Load() {
		q.total.Add(memory(f.bytes, f.entries))
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
	size, entries := int64(0), int64(0)
	for {
		next := q.head.next.Load() // read before n: a block with a successor is complete
		for n := q.head.n.Load(); q.from < n; entries++ {
			data := q.readEntry()
			h := &q.taken
			size += int64(len(data))
			if h.read {
				b.Reads = append(b.Reads, Read{At: h.at, User: h.user, Number: h.number, Bytes: h.bytes, Kernel: h.kernel, Data: data, Lines: len(b.Lines)})
			} else {
				b.Lines = append(b.Lines, sse.Line{Data: data, At: h.at, User: h.user, Read: h.number, Bytes: h.bytes, Kernel: h.kernel})
			}
		}
		if next == nil {
			break
		}
		q.held = append(q.held, q.head)
		q.head, q.from, q.taken = next, 0, head{}
		if rest = len(b.Lines)+len(b.Reads) >= mostDrained || size >= mostDrainedBytes; rest {
			break
		}
	}
	q.out.add(size, entries)
	if q.total != nil && !q.freed.Load() {
		q.total.Add(-memory(size, entries))
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
		q.total.Add(-memory(q.pending()))
	}
}

// pending returns the bytes and entries that are published but not drained.
func (q *queue) pending() (bytes, entries int64) {
	return q.in.bytes.Load() - q.out.bytes.Load(), q.in.entries.Load() - q.out.entries.Load()
}
