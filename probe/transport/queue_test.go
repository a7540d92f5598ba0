package transport

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/sse"
)

func TestQueueHandsOverEverything(t *testing.T) {
	rnd := testkit.Rand(t, 1)
	lines := make([]sse.Line, 20_000)
	sizes := make([]int, len(lines))
	for i := range sizes {
		lines[i] = sse.Line{At: metrics.Stamp(rnd.Int64()), User: metrics.Stamp(rnd.Int64()), Read: rnd.Int32(),
			Bytes: rnd.Int32(), Kernel: rnd.IntN(2) == 0}
		if i > 0 && rnd.IntN(2) == 0 { // of the same read
			l := lines[i-1]
			lines[i] = sse.Line{At: l.At, User: l.User, Read: l.Read, Bytes: rnd.Int32(), Kernel: l.Kernel}
		}
		sizes[i] = rnd.IntN(300)
		if rnd.IntN(1000) == 0 {
			sizes[i] = 100_000 // longer than any block so far
		}
	}
	var q queue
	q.init()
	var wg sync.WaitGroup
	wg.Go(func() {
		data := make([]byte, 100_000)
		for i := range data {
			data[i] = byte(i)
		}
		for i, n := range sizes {
			q.push(lines[i], data[:n], false)
			q.publish()
		}
	})
	var b Batch
	next := 0
	for next < len(sizes) {
		q.drain(&b)
		for _, l := range b.Lines {
			testkit.Need(t, len(l.Data), sizes[next], "line", next, "has … bytes")
			if n := len(l.Data); n > 0 && (l.Data[0] != 0 || l.Data[n-1] != byte(n-1)) {
				t.Fatalf("line %d: its bytes were overwritten", next)
			}
			if l.Data = nil; !cmp.Equal(l, lines[next]) {
				t.Fatalf("line %d is %+v, want %+v", next, l, lines[next])
			}
			next++
		}
	}
	wg.Wait()
	testkit.Is(t, q.pending(), pending{}, "pending when all is taken")
}

// 150,000 events of 47 to 70 bytes in one burst are within the bounds, also
// when nothing was taken of them: their data has 7 to 10 MB.
func TestBurstOfShortEvents(t *testing.T) {
	for _, size := range []int{47, 70} {
		c := NewWaking(NewClock())
		c.intake.feed([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"), c.intake.stamps)
		event := []byte(`data: {"choices":[{"delta":{"content":"` + strings.Repeat("x", size-46) + "\"}}]}\n\n")
		for range 150_000 {
			c.intake.feed(event, c.intake.stamps)
		}
		if p := c.queue.pending(); c.intake.failed || p.entries != 300_000 || p.bytes < 150_000*int64(size-3) {
			t.Errorf("%d bytes: failed %v with %+v pending", size, c.intake.failed, p)
		}
	}
}

// What counts against the bound on pending memory is at least the blocks that hold
// it, but for the last one, whatever the length of the lines.
func TestPendingMemoryIsWhole(t *testing.T) {
	for size := 0; size < 3*blockBytes; size = size*5/4 + 1 {
		var q queue
		q.init()
		first := q.tail
		for i := range 200 {
			q.push(sse.Line{Read: int32(i)}, make([]byte, size), false) // each with stamps of its own
			q.publish()
		}
		held := int64(0)
		for b := first; b != q.tail; b = b.next.Load() {
			held += int64(len(b.buf))
		}
		if p := q.pending(); p.memory < held {
			t.Errorf("lines of %d bytes: %d bytes count, their blocks have %d", size, p.memory, held)
		}
	}
}
