//go:build !race

// With the race detector a pool loses blocks on purpose.

package transport

import (
	"fmt"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/sse"
)

func TestQueueSteadyStateAllocatesNothing(t *testing.T) {
	for _, burst := range []int{1, 3, 100} {
		t.Run(fmt.Sprint(burst), func(t *testing.T) {
			var q queue
			q.init()
			var b Batch
			data := make([]byte, 280)
			round := func() {
				for range burst {
					q.push(sse.Line{}, data, false)
					q.push(sse.Line{}, nil, false)
					q.publish()
				}
				q.drain(&b)
			}
			for range 1000 {
				round()
			}
			testkit.Allocates(t, 0, 1000, round, "a round")
		})
	}
}

// A backlog of lines of different reads, without data, takes at most 36 bytes a
// line: 29 for its head, the rest for slack.
func TestBacklogOfLines(t *testing.T) {
	const lines, most = 100_000, 36
	var q queue
	allocated := testkit.Allocated(func() {
		q.init()
		for i := range lines {
			q.push(sse.Line{Read: int32(i)}, nil, false)
			q.publish()
		}
	})
	if entries := q.pending().entries; entries != lines {
		t.Fatalf("%d entries pending of %d", entries, lines)
	}
	if each := float64(allocated) / lines; each > most {
		t.Errorf("a line takes %.1f bytes, at most %d", each, most)
	}
}

// What a stream needed for a backlog serves the next one: a thousand streams
// that are late one after the other take the memory of one.
func TestBacklogServesTheNextQueue(t *testing.T) {
	data := make([]byte, 280)
	fill := func() {
		var q queue
		q.init()
		for range 4000 {
			q.push(sse.Line{}, data, false)
			q.publish()
		}
		var b Batch
		for q.drain(&b) {
		}
		q.drain(&b)
		q.free()
	}
	first := testkit.Allocated(fill)
	for range 20 {
		fill()
	}
	if again := testkit.Allocated(fill); again > first/4 {
		t.Errorf("%d bytes allocated for a backlog, %d for the first one", again, first)
	}
}
