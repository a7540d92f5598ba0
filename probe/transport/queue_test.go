package transport

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics"
	"tokscope/metrics/testseed"
	"tokscope/probe/sse"
)

func TestQueueHandsOverEverything(t *testing.T) {
	rnd := testseed.Rand(t, 1)
	lines := make([]sse.Line, 20_000)
	sizes := make([]int, len(lines))
	for i := range sizes {
		lines[i] = sse.Line{At: metrics.Stamp(rnd.Int64()), User: metrics.Stamp(rnd.Int64()), Read: rnd.Int32(), Bytes: rnd.Int32(), Kernel: rnd.IntN(2) == 0}
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
			q.push(lines[i], data[:n])
			q.publish()
		}
	})
	var b Batch
	next := 0
	for next < len(sizes) {
		q.drain(&b)
		for _, l := range b.Lines {
			if len(l.Data) != sizes[next] {
				t.Fatalf("line %d has %d bytes, want %d", next, len(l.Data), sizes[next])
			}
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
	if bytes, entries := q.pending(); bytes != 0 || entries != 0 {
		t.Errorf("%d bytes of %d entries pending when all is taken", bytes, entries)
	}
}

// BenchmarkTap is what the tap costs: framing, cutting and queueing a stream of
// reads with one event each.
func BenchmarkTap(b *testing.B) {
	b.ReportAllocs()
	event := []byte(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1790000000,"model":"m","choices":[{"index":0,"delta":{"content":" token"},"finish_reason":null}]}` + "\n\n")
	chunk := fmt.Appendf(nil, "%x\r\n%s\r\n", len(event), event)
	c := NewCapture(NewClock())
	c.bounds = Bounds{}
	feedAll := func(p []byte) { c.intake.feed(p, c.intake.stamps) }
	feedAll([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"))
	var batch Batch
	for b.Loop() {
		feedAll(chunk)
		select {
		case <-c.Wake():
			c.Drain(&batch)
		default:
		}
	}
	if len(batch.Lines) != 2 {
		b.Fatalf("%d lines in the last batch", len(batch.Lines))
	}
}

// 150,000 events of 47 to 70 bytes in one burst are within the bounds, also
// when nothing was taken of them: their data has 7 to 10 MB.
func TestBurstOfShortEvents(t *testing.T) {
	for _, size := range []int{47, 70} {
		c := NewCapture(NewClock())
		c.intake.feed([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"), c.intake.stamps)
		event := []byte(`data: {"choices":[{"delta":{"content":"` + strings.Repeat("x", size-46) + "\"}}]}\n\n")
		for range 150_000 {
			c.intake.feed(event, c.intake.stamps)
		}
		if bytes, entries := c.queue.pending(); c.intake.failed || entries != 300_000 || bytes < 150_000*int64(size-3) {
			t.Errorf("%d bytes: failed %v with %d bytes of %d entries pending", size, c.intake.failed, bytes, entries)
		}
	}
}
