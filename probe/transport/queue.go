package transport

import (
	"sync/atomic"

	"tokscope/metrics"
	"tokscope/probe/sse"
)

// Sizes of a queue's blocks. The first block is small: most streams have a
// consumer that keeps up, and there may be a thousand of them.
const (
	blockLines, maxBlockLines = 16, 512
	blockBytes, maxBlockBytes = 2 << 10, 256 << 10
	lineOverhead              = 64 // bytes of a line's entry and of slack, for the bound on pending bytes
)

// queue hands lines and reads from the goroutine that reads the connection to the
// one that consumes them, without a lock: a consumer on a thread of low
// priority may be suspended anywhere and must never hold up the reader.
type queue struct {
	tail  *block // producer's
	head  *block // consumer's
	from  int32  // lines of head already drained; consumer's
	held  []*block
	spare atomic.Pointer[block]
	in    amounts       // pushed; producer's
	out   amounts       // drained; consumer's
	total *atomic.Int64 // memory that the queues of a transport hold; nil: not counted
	freed atomic.Bool   // this queue counts in total no more
}

// amounts are bytes of data and numbers of entries, with one writer.
type amounts struct{ bytes, entries atomic.Int64 }

func (a *amounts) add(bytes, entries int64) {
	a.bytes.Add(bytes)
	a.entries.Add(entries)
}

// memory is what that many bytes and entries take.
func memory(bytes, entries int64) int64 { return bytes + entries*lineOverhead }

// entry is a line, or what is known of a read: its stamps and number, the size
// of its part of the body (bytes), and that part itself (data) if it is kept. It
// has no pointer, so the garbage collector skips a backlog.
type entry struct {
	at, user    metrics.Stamp
	start, size int32 // its data within the block's buf
	number      int32 // of the read
	bytes       int32
	kernel      bool
	read        bool // not a line
}

// line returns the line of e, an entry of b.
func (e *entry) line(b *block) sse.Line {
	return sse.Line{Data: e.data(b), At: e.at, User: e.user, Read: e.number, Bytes: e.bytes, Kernel: e.kernel}
}

// data returns the data of e, an entry of b.
func (e *entry) data(b *block) []byte { return b.buf[e.start : e.start+e.size : e.start+e.size] }

// block is a run of entries with their bytes. The producer fills in an entry and
// its bytes and then publishes n; the consumer reads lines[:n].
type block struct {
	lines []entry
	n     atomic.Int32
	next  atomic.Pointer[block]
	buf   []byte // never reallocated, because lines point into it
	used  int    // bytes of buf; producer's
}

func (q *queue) init() {
	b := &block{lines: make([]entry, blockLines), buf: make([]byte, blockBytes)}
	q.tail, q.head = b, b
}

// push appends l with a copy of data. Producer only.
func (q *queue) push(l sse.Line, data []byte) { q.add(l, data, false) }

// pushRead appends a read with a copy of data. Producer only.
func (q *queue) pushRead(l sse.Line, data []byte) { q.add(l, data, true) }

func (q *queue) add(l sse.Line, data []byte, read bool) {
	t := q.tail
	n := t.n.Load()
	if int(n) == len(t.lines) || len(data) > len(t.buf)-t.used {
		t, n = q.grow(len(data)), 0
	}
	t.lines[n] = entry{
		at: l.At, user: l.User, start: int32(t.used), size: int32(len(data)),
		number: l.Read, bytes: l.Bytes, kernel: l.Kernel, read: read,
	}
	t.used += copy(t.buf[t.used:], data)
	q.in.add(int64(len(data)), 1)
	if q.total != nil && !q.freed.Load() {
		q.total.Add(memory(int64(len(data)), 1))
	}
	t.n.Store(n + 1)
}

// grow appends a block with room for need bytes. The block is as large as the
// last one, or twice as large if the consumer's backlog exceeds a block. Its
// bytes are no more than lines like those of the last block need.
func (q *queue) grow(need int) *block {
	b := q.spare.Swap(nil)
	if b == nil || len(b.buf) < need {
		lines, room := len(q.tail.lines), len(q.tail.buf)
		if memory(q.pending()) > memory(int64(room), int64(lines)) {
			lines, room = min(2*lines, maxBlockLines), min(2*room, maxBlockBytes)
		}
		mean := q.tail.used/max(int(q.tail.n.Load()), 1) + 1
		room = max(min(room, mean*lines*5/4), blockBytes)
		b = &block{lines: make([]entry, lines), buf: make([]byte, max(need, room))}
	}
	q.tail.next.Store(b)
	q.tail = b
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
	for _, old := range q.held {
		old.n.Store(0)
		old.next.Store(nil)
		old.used = 0
		q.spare.Store(old)
	}
	clear(q.held)
	q.held = q.held[:0]
	b.Lines, b.Reads = b.Lines[:0], b.Reads[:0]
	size, entries := int64(0), int64(0)
	for {
		next := q.head.next.Load() // read before n: a block with a successor is complete
		n := q.head.n.Load()
		pending := q.head.lines[q.from:n]
		for i := range pending {
			e := &pending[i]
			size += int64(e.size)
			if e.read {
				b.Reads = append(b.Reads, Read{At: e.at, User: e.user, Number: e.number, Bytes: e.bytes, Kernel: e.kernel, Data: e.data(q.head), Lines: len(b.Lines)})
			} else {
				b.Lines = append(b.Lines, e.line(q.head))
			}
		}
		q.from, entries = n, entries+int64(len(pending))
		if next == nil {
			break
		}
		q.held = append(q.held, q.head)
		q.head, q.from = next, 0
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

// free gives up what the consumer holds, after its last drain. Lines of the
// last Batch are no longer valid. Consumer only.
func (q *queue) free() {
	q.held = nil
	q.spare.Store(nil)
	if q.total != nil && !q.freed.Swap(true) {
		q.total.Add(-memory(q.pending()))
	}
}

// pending returns the bytes and entries that are pushed but not drained.
func (q *queue) pending() (bytes, entries int64) {
	return q.in.bytes.Load() - q.out.bytes.Load(), q.in.entries.Load() - q.out.entries.Load()
}
