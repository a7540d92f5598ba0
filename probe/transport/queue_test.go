package transport

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"tokscope/probe/sse"
)

func TestQueueHandsOverEverything(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	sizes := make([]int, 20_000)
	for i := range sizes {
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
			q.push(sse.Line{Read: int32(i)}, data[:n])
		}
	})
	var b Batch
	next := 0
	for next < len(sizes) {
		q.drain(&b)
		for _, l := range b.Lines {
			if int(l.Read) != next || len(l.Data) != sizes[next] {
				t.Fatalf("line %d of %d bytes, want %d of %d", l.Read, len(l.Data), next, sizes[next])
			}
			if n := len(l.Data); n > 0 && (l.Data[0] != 0 || l.Data[n-1] != byte(n-1)) {
				t.Fatalf("line %d: its bytes were overwritten", next)
			}
			next++
		}
	}
	wg.Wait()
	if bytes, entries := q.pending(); bytes != 0 || entries != 0 {
		t.Errorf("%d bytes of %d entries pending when all is taken", bytes, entries)
	}
}

func TestQueueSteadyStateAllocatesNothing(t *testing.T) {
	for _, burst := range []int{1, 3, 100} {
		t.Run(fmt.Sprint(burst), func(t *testing.T) {
			var q queue
			q.init()
			var b Batch
			data := make([]byte, 280)
			round := func() {
				for range burst {
					q.push(sse.Line{}, data)
					q.push(sse.Line{}, nil)
				}
				q.drain(&b)
			}
			for range 1000 {
				round()
			}
			if n := testing.AllocsPerRun(1000, round); n > 0 {
				t.Errorf("%v allocations a round", n)
			}
		})
	}
}

// A backlog of lines without data takes at most 48 bytes a line: 40 for its
// entry, the rest for slack. It was 64 and more while an entry held a slice.
func TestBacklogOfLines(t *testing.T) {
	const lines, most = 100_000, 48
	var q queue
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	q.init()
	for i := range lines {
		q.push(sse.Line{Read: int32(i)}, nil)
	}
	runtime.ReadMemStats(&after)
	if _, entries := q.pending(); entries != lines {
		t.Fatalf("%d entries pending of %d", entries, lines)
	}
	if each := float64(after.TotalAlloc-before.TotalAlloc) / lines; each > most {
		t.Errorf("a line takes %.1f bytes, at most %d", each, most)
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
