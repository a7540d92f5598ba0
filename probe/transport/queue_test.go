package transport

import (
	"fmt"
	"math/rand/v2"
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
			q.put(sse.Line{Read: int32(i)}, data[:n])
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
	if bytes := q.pending(); bytes != 0 {
		t.Errorf("%d bytes pending when all is taken", bytes)
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
					q.put(sse.Line{}, data)
					q.put(sse.Line{}, nil)
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

func TestLag(t *testing.T) {
	var l lag
	if l.quantile(0.5) != 0 {
		t.Error("a quantile of nothing")
	}
	for i := range 1000 {
		l.add(time.Duration(i+1) * time.Microsecond)
	}
	for _, tt := range []struct {
		p    float64
		want time.Duration
	}{{0.5, 500 * time.Microsecond}, {0.99, 990 * time.Microsecond}, {0.001, 2 * time.Microsecond}} {
		if got := l.quantile(tt.p); float64(got) < 0.93*float64(tt.want) || float64(got) > 1.07*float64(tt.want) {
			t.Errorf("quantile %v = %v, want about %v", tt.p, got, tt.want)
		}
	}
	for _, d := range []time.Duration{0, 63, 64, 65, 127, 128, time.Millisecond, time.Second, time.Minute, time.Hour, 1<<63 - 1} {
		i := lagBucket(d)
		if i < 0 || i >= len(l.buckets) {
			t.Fatalf("%v is in bucket %d", d, i)
		}
		if v := lagValue(i); d >= 64 && d < time.Minute && (float64(v) < 0.93*float64(d) || float64(v) > 1.07*float64(d)) {
			t.Errorf("%v is shown as %v", d, v)
		}
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
	feedAll := func(p []byte) { c.feed(p, c.stamps) }
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
