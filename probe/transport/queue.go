package transport

import (
	"sync/atomic"

	"tokscope/probe/sse"
)

// Sizes of a queue's blocks. The first block is small: most streams have a
// consumer that keeps up, and there may be a thousand of them.
const (
	blockLines, maxBlockLines = 16, 2048
	blockBytes, maxBlockBytes = 2 << 10, 512 << 10
	lineOverhead              = 64 // bytes of a line's record, for the bound on pending bytes
)

// queue hands lines from the goroutine that reads the connection to the one
// that consumes them, without a lock: a consumer on a thread of the lowest
// priority may be suspended anywhere and must never hold up the reader.
type queue struct {
	tail  *block // producer's
	head  *block // consumer's
	from  int32  // lines of head taken; consumer's
	held  []*block
	spare atomic.Pointer[block]
	in    atomic.Int64 // bytes put
	out   atomic.Int64 // bytes taken
}

// block is a run of lines with their bytes. The producer appends and then
// publishes n; the consumer reads lines[:n].
type block struct {
	lines []sse.Line
	n     atomic.Int32
	next  atomic.Pointer[block]
	buf   []byte // producer's; never grows, so that lines stay where they are
}

func (q *queue) init() {
	b := &block{lines: make([]sse.Line, blockLines), buf: make([]byte, 0, blockBytes)}
	q.tail, q.head = b, b
}

// put appends l with a copy of data. Producer only.
func (q *queue) put(l sse.Line, data []byte) {
	t := q.tail
	n := t.n.Load()
	if int(n) == len(t.lines) || len(data) > cap(t.buf)-len(t.buf) {
		t, n = q.grow(len(data)), 0
	}
	start := len(t.buf)
	t.buf = append(t.buf, data...)
	l.Data = t.buf[start:len(t.buf):len(t.buf)]
	t.lines[n] = l
	q.in.Add(int64(len(data)) + lineOverhead)
	t.n.Store(n + 1)
}

// grow appends a block with room for need bytes: one as large as the last for
// a consumer that keeps up, a larger one for one that is behind.
func (q *queue) grow(need int) *block {
	b := q.spare.Swap(nil)
	if b == nil || cap(b.buf) < need {
		lines, room := len(q.tail.lines), cap(q.tail.buf)
		if behind := q.in.Load() - q.out.Load(); behind > int64(room+lines*lineOverhead) {
			lines, room = min(2*lines, maxBlockLines), min(2*room, maxBlockBytes)
		}
		b = &block{lines: make([]sse.Line, lines), buf: make([]byte, 0, max(need, room))}
	}
	q.tail.next.Store(b)
	q.tail = b
	return b
}

// take replaces b's lines by all that are pending. Consumer only.
func (q *queue) drain(b *Batch) {
	for _, old := range q.held {
		old.n.Store(0)
		old.next.Store(nil)
		old.buf = old.buf[:0]
		q.spare.Store(old)
	}
	clear(q.held)
	q.held = q.held[:0]
	b.Lines = b.Lines[:0]
	size := int64(0)
	for {
		next := q.head.next.Load() // before n: a block with a successor grows no more
		n := q.head.n.Load()
		for i := range q.head.lines[q.from:n] {
			size += int64(len(q.head.lines[int(q.from)+i].Data)) + lineOverhead
		}
		b.Lines = append(b.Lines, q.head.lines[q.from:n]...)
		q.from = n
		if next == nil {
			break
		}
		q.held = append(q.held, q.head)
		q.head, q.from = next, 0
	}
	q.out.Add(size)
}

// pending returns the bytes put but not taken.
func (q *queue) pending() int64 { return q.in.Load() - q.out.Load() }
