package client

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/dialect"
	"tokscope/probe/secret"
	"tokscope/probe/sse"
	"tokscope/probe/transport"
)

// Memory in which events are shown is shared by all streams: after a backlog
// of 64 events, each of 200 streams holds at most 4 kB more than without a sink. With a
// queue of its own it held 21 kB.
func TestShownEventsHoldNoMemory(t *testing.T) {
	const streams, events, most = 200, 64, 4 << 10
	more := int64(math.MaxInt64)
	for try := 0; try < 3 && more > most; try++ { // what ends of other tests meanwhile is counted, too
		without, _ := memoryOfBacklogs(t, streams, events)
		var n int
		with, space := memoryOfBacklogs(t, streams, events, CountingSink{Began: func(int) {}, Chunks: func(k int) { n += k }})
		testkit.Need(t, n, streams*events, "chunks shown")
		testkit.That(t, cap(space.pending) >= events,
			"room for %d events is shared, want at least %d", cap(space.pending), events)
		more = min(more, (with-without)/streams)
	}
	testkit.That(t, more <= most, "a stream holds %d bytes more with a sink, at most %d", more, most)
}

// memoryOfBacklogs is what that many streams hold after as many events each
// came in one batch, and the memory in which they were shown.
func memoryOfBacklogs(t *testing.T, streams, events int, sinks ...Sink) (held int64, space showing) {
	t.Helper()
	var batch transport.Batch
	for i := range events {
		data := fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{"content":" tok%d"}}]}`, i)
		batch.Lines = append(batch.Lines, sse.Line{Data: []byte(data)}, sse.Line{})
	}
	e := New(Options{})
	defer e.Close()
	kept := make([]*Stream, streams)
	var before, after runtime.MemStats
	collect := func(m *runtime.MemStats) {
		runtime.GC()
		runtime.GC() // the first only empties the pools
		runtime.ReadMemStats(m)
	}
	collect(&before)
	for i := range kept {
		s := newStream(e, i+1, metrics.Workload{MaxTokens: events}, metrics.Endpoint{}, func(error) {})
		s.audience.begin(sinks, s.Snapshot(), secret.NewScrubber())
		s.begins(newAttempt(e), dialect.New())
		s.foldBatch(&batch, &space)
		kept[i] = s
	}
	collect(&after)
	for _, s := range kept {
		testkit.Need(t, len(s.Snapshot().Chunks), events, "chunks")
	}
	return int64(after.HeapAlloc) - int64(before.HeapAlloc), space
}

// What waits for the rest of a key keeps its events while other streams use the
// shared memory, and is shown without the key.
func TestWaitingEventsOutliveTheSharedMemory(t *testing.T) {
	const key = "sk-shared-0123456789abcdef"
	e := New(Options{Scrub: secret.NewScrubber(secret.NewSecret(key))})
	defer e.Close()
	shown := map[int]string{}
	sink := eventText(func(id int, text string) { shown[id] += text })
	var space showing
	stream := func(id int) *Stream {
		s := newStream(e, id, metrics.Workload{}, metrics.Endpoint{}, context.CancelCauseFunc(func(error) {}))
		s.audience.begin([]Sink{sink}, s.Snapshot(), e.scrub)
		s.begins(newAttempt(e), dialect.New())
		return s
	}
	push := func(s *Stream, text string) {
		data := []byte(`data: {"choices":[{"index":0,"delta":{"content":"` + text + `"}}]}`)
		s.foldBatch(&transport.Batch{Lines: []sse.Line{{Data: data}, {}}}, &space)
	}
	waits, other := stream(1), stream(2)
	push(waits, "begin "+key[:12])
	testkit.Need(t, shown[1], "", "an event with a part of a key was shown")
	push(other, "of another stream, and long enough to overwrite what waits: ..........................")
	push(waits, key[12:16])
	push(other, "more")
	push(waits, " no key")
	want := `{"choices":[{"index":0,"delta":{"content":"begin ` + key[:12] +
		`"}}]}{"choices":[{"index":0,"delta":{"content":"` + key[12:16] +
		`"}}]}{"choices":[{"index":0,"delta":{"content":" no key"}}]}`
	testkit.Is(t, shown[1], want, "shown")
}

// eventText is a sink for the data of events.
type eventText func(id int, text string)

func (eventText) Begin(metrics.Stream)                 {}
func (eventText) End(metrics.Stream, *metrics.Figures) {}
func (f eventText) Event(e *Folded)                    { f(e.ID, string(e.Event.Data)) }
