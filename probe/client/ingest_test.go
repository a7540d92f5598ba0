package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/dialect"
	"tokscope/probe/endpoint"
	"tokscope/probe/secret"
	"tokscope/probe/sse"
)

// bare returns a stream record without an engine's goroutines.
func bare(maxTokens int) *Stream {
	e := &Engine{scrub: secret.NewScrubber()}
	s := &Stream{engine: e, dec: dialect.New()}
	s.v = metrics.Stream{State: metrics.Waiting, Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), LiveTokens: -1}
	s.v.Chunks = make([]metrics.Chunk, 0, maxTokens)
	s.v.Text = make([]byte, 0, 8*maxTokens)
	return s
}

// Budget: folding a chunk costs at most 150 ns, where encoding/json decodes the
// event that it came in within some 3 µs: a twentieth of that, on any machine.
// With the event framed and decoded before it (1.5 µs) it is half.
func BenchmarkIngestBudget(b *testing.B) {
	const most, mostWhole = 0.05, 0.25
	s := bare(1 << 14)
	out := dialect.Out{LiveTokens: -1, Choices: true, Deltas: []dialect.Delta{{Text: []byte(" token"), Tokens: -1}}}
	ev := sse.Event{At: 1, User: 2, Bytes: 200}
	room := func() {
		if len(s.v.Chunks) == cap(s.v.Chunks) {
			s.v.Chunks, s.v.Text = s.v.Chunks[:0], s.v.Text[:0]
		}
	}
	ingest := func() {
		room()
		s.mu.Lock()
		s.ingest(&ev, &out)
		s.mu.Unlock()
	}
	line, blank := sse.Line{Data: benchLine, Bytes: int32(len(benchLine) + 1)}, sse.Line{Bytes: 1}
	emit := s.addEvent
	whole := func() {
		room()
		s.mu.Lock()
		s.asm.Push(line, emit)
		s.asm.Push(blank, emit)
		s.mu.Unlock()
	}
	doc := benchLine[len("data: "):]
	decode := func() {
		var r openai.ChatCompletionStreamResponse
		testkit.OK(b, json.Unmarshal(doc, &r))
	}
	for b.Loop() {
		r, w := testkit.Ratio(time.Now, ingest, decode), testkit.Ratio(time.Now, whole, decode)
		b.ReportMetric(r, "of-json")
		b.ReportMetric(w, "whole-of-json")
		if r > most || w > mostWhole {
			b.Fatalf("folding takes %.3f of what encoding/json takes for the event (at most %v), the whole way from its line "+
				"%.3f (at most %v)", r, most, w, mostWhole)
		}
	}
	if len(s.v.Chunks) == 0 {
		b.Fatal("no chunk was folded")
	}
}

// benchLine is an event's line of an ordinary server.
var benchLine = []byte(`data: {"id":"c1","object":"chat.completion.chunk","created":1790000000,"model":"m","choices":[{"index":0,"delta":{"content":" token"},"logprobs":null,"finish_reason":null}],"usage":null}`)

// The allocations of both budgets, as a test: they do not depend on the machine.
func TestIngestAllocations(t *testing.T) {
	s := bare(1 << 14)
	out := dialect.Out{LiveTokens: -1, Choices: true, Deltas: []dialect.Delta{{Text: []byte(" token"), Tokens: -1}}}
	ev := sse.Event{At: 1, User: 2, Bytes: 200}
	testkit.Allocates(t, 0, 1000, func() { s.ingest(&ev, &out) }, "folding a chunk")
	line := sse.Line{Data: []byte(`data: {"id":"c1","choices":[{"index":0,"delta":{"content":" token"}}]}`)}
	emit := s.addEvent
	testkit.Allocates(t, 5, 1000, func() {
		s.asm.Push(line, emit)
		s.asm.Push(sse.Line{}, emit)
	}, "framing and decoding an event")
}

// A finished stream of 1000 chunks with its text takes at most 64 kB.
func TestMemoryOfAFinishedStream(t *testing.T) {
	const streams = 50
	e := New(Options{})
	defer e.Close()
	kept := make([]*Stream, streams)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range kept {
		s := newStream(e, i+1, metrics.Workload{MaxTokens: 1000}, metrics.Endpoint{}, nil)
		s.dec = dialect.New()
		for k := range 1000 {
			data := fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{"content":" tok%d"}}]}`, k)
			s.asm.Push(sse.Line{Data: []byte(data)}, s.addEvent)
			s.asm.Push(sse.Line{}, s.addEvent)
		}
		s.end(e.clock.Now(), nil)
		kept[i] = s
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	for _, s := range kept {
		testkit.Need(t, len(s.v.Chunks), 1000, "chunks")
	}
	if each := int64(after.HeapAlloc-before.HeapAlloc) / streams; each > 64<<10 {
		t.Errorf("a finished stream keeps %d bytes, more than 64 kB", each)
	}
}

// An answer at the bound of a body takes at most twice its text in all the memory that
// its text and its chunks were ever in, whatever the size of its pieces.
func TestMemoryOfAnAnswerAtItsBound(t *testing.T) {
	const whole = 62e6
	e := New(Options{})
	defer e.Close()
	for _, c := range []struct {
		piece int
		kind  metrics.Kind
		users uint8 // choices that take turns
	}{{900, metrics.Content, 1}, {7_777, metrics.ToolCall, 3}, {120_000, metrics.Reasoning, 1},
		{1 << 20, metrics.Content, 2}} {
		s := newStream(e, 1, metrics.Workload{MaxTokens: 4096}, metrics.Endpoint{}, nil)
		s.dec = dialect.New()
		out := dialect.Out{LiveTokens: -1, Choices: true, Deltas: []dialect.Delta{{Kind: c.kind, Tokens: -1}}}
		out.Deltas[0].Text = bytes.Repeat([]byte("lorem "), c.piece/6)
		ev := sse.Event{At: 1, User: 2, Bytes: int32(c.piece)}
		took := float64(testkit.Allocated(func() {
			for n := 0; n < whole; n += len(out.Deltas[0].Text) {
				out.Deltas[0].Choice = uint8(n) % c.users
				s.ingest(&ev, &out)
			}
			s.end(e.clock.Now(), nil)
		}))
		if len(s.v.Text) < whole || took > 2*whole {
			t.Errorf("%d bytes of text in pieces of %d took %.1f bytes each, more than 2", len(s.v.Text), c.piece, took/whole)
		}
	}
}

// stuck is a sink that blocks in its first event until it is released. It
// closes in, if set, when it blocks.
type stuck struct {
	release, in chan struct{}
	first       atomic.Bool
}

func (k *stuck) Begin(metrics.Stream)                 {}
func (k *stuck) End(metrics.Stream, *metrics.Figures) {}
func (k *stuck) Event(*Folded) {
	if k.first.CompareAndSwap(false, true) {
		if k.in != nil {
			close(k.in)
		}
		<-k.release
	}
}

// A blocked consumer cannot delay a stamp: every chunk was stamped before the next one
// was sent, and before the consumer continued.
func TestStuckConsumerDelaysNoStamp(t *testing.T) {
	const chunks = 40
	next := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range next {
			fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n")
			w.(http.Flusher).Flush()
		}
		fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	defer srv.Close()
	e := New(Options{})
	defer e.Close()
	k := &stuck{release: make(chan struct{})}
	e.AddSink(k)
	s := e.Start(context.Background(), endpoint.Target{Endpoint: metrics.Endpoint{URL: srv.URL, Model: "m"},
		Server: "test"}, metrics.Workload{Prompt: "x"})
	var counted [chunks]metrics.Stamp // when each had been stamped
	for i := range counted {
		next <- struct{}{}
		for limit := time.Now().Add(20 * time.Second); time.Now().Before(limit); time.Sleep(time.Millisecond) {
			if o := s.Snapshot().Observer; o.KernelStamps+o.UserStamps > i {
				break
			}
		}
		counted[i] = e.clock.Now()
	}
	close(next)
	close(k.release)
	<-s.Done()
	v := s.Snapshot()
	testkit.Given(t, v.State == metrics.Done && len(v.Chunks) == chunks,
		"%v with %d chunks: %v", v.State, len(v.Chunks), v.Fault)
	for i, c := range v.Chunks {
		if c.At > counted[i] || c.User > counted[i] {
			t.Errorf("chunk %d was stamped %d ns after it had come", i, max(c.At, c.User)-counted[i])
		}
	}
}
