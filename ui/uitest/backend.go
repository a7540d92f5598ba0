// Package uitest provides the measuring side for the tests of the interface: the program's own
// session in virtual time, and fakes in which a test sets what arrives and when, on a clock that
// only it moves.
package uitest

import (
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/probe/endpoint"
	"tokscope/probe/explain/lessons"
	"tokscope/probe/session"
)

// Backend has what the program measures on Live, by the methods without a comment. Its clock
// moves only by its methods. All methods may be called by any goroutine.
type Backend struct {
	mu      sync.Mutex
	now     metrics.Stamp
	s       metrics.Stream
	version uint64
	runs    []metrics.Run
	end     metrics.Endpoint
	calls   []string
	begun   []metrics.Workload

	// Watch is the lag that Observer returns.
	Watch metrics.Observer
	// Changed is called after a change of state, as the engine calls Notify.
	Changed func()
}

// Demo is the first endpoint in use.
var Demo = metrics.Endpoint{Kind: metrics.EndpointEmbedded,
	Name: "demo", URL: "http://127.0.0.1:40404/v1", Model: "llama-3.1-8b@h100",
	Note: "llama-3.1-8b bf16 on H100", Ready: true}

// New returns an idle backend of Live, Explain, History and replays with the demo endpoint
// and a few others to choose from, without a history and without an open replay.
func New() *AllBackend {
	b := &ExplainBackend{Backend: core()}
	b.watched, b.knobs = 1, knobs(func(k *serving.Knobs) { k.Time = 1 })
	b.tour = lessons.New("", b.tourComputed)
	r := &ReplayBackend{}
	r.Player = session.NewPlayer(b.Now, func() int {
		n := r.numbers[0]
		r.numbers = r.numbers[1:]
		return n
	})
	return &AllBackend{b, r, &Memory{}}
}

// AllBackend is a backend of these screens.
type AllBackend struct {
	*ExplainBackend
	*ReplayBackend
	*Memory
}

// core is the backend of Live.
func core() *Backend {
	return &Backend{
		end:   Demo,
		Watch: metrics.Observer{LateP50: 60 * time.Microsecond, LateP99: 200 * time.Microsecond, N: 400},
	}
}

// Advance moves the clock.
func (b *Backend) Advance(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now += metrics.Stamp(d)
}

// change runs f on the stream and increments its version.
func (b *Backend) change(f func(s *metrics.Stream)) {
	b.mu.Lock()
	before := b.s.State
	f(&b.s)
	b.version++
	notify, turned := b.Changed, b.s.State != before
	b.mu.Unlock()
	if notify != nil && turned {
		notify()
	}
}

// Note adds a command to Calls and runs f with the lock held. It notifies of a change.
func (b *Backend) Note(call string, f func()) {
	b.mu.Lock()
	notify := b.Changed
	b.calls = append(b.calls, call)
	f()
	b.mu.Unlock()
	if notify != nil {
		notify()
	}
}

// Sent opens the connection and sends the request: the stream waits.
func (b *Backend) Sent() {
	b.change(func(s *metrics.Stream) {
		s.State = metrics.Waiting
		s.Marks.ConnectStart, s.Marks.ConnectDone = s.Marks.Start, b.now
		s.Marks.GotConn, s.Marks.Sent = b.now, b.now
		s.Conn = metrics.Connection{Proto: "HTTP/1.1", Remote: "127.0.0.1:40404"}
	})
}

// Chunk adds a chunk of content now. Several at one moment are a burst.
func (b *Backend) Chunk(text string) { b.ChunkOf(metrics.Content, text) }

// ChunkOf adds a chunk of any kind now.
func (b *Backend) ChunkOf(k metrics.Kind, text string) {
	b.change(func(s *metrics.Stream) {
		if s.State != metrics.Decoding {
			s.State = metrics.Decoding
			s.Marks.FirstByte, s.Marks.Headers, s.Marks.FirstEvent = b.now, b.now, b.now
		}
		read := int32(s.Reads)
		if n := len(s.Chunks); n > 0 && s.Chunks[n-1].At == b.now {
			read = s.Chunks[n-1].Read
		} else {
			s.Reads++
		}
		s.Text = append(s.Text, text...)
		s.Chunks = append(s.Chunks, metrics.Chunk{At: b.now, User: b.now, Read: read, Event: int32(s.Events), Bytes: 180,
			TextEnd: int32(len(s.Text)), Tokens: 1, Kind: k, Kernel: true})
		s.Events++
		s.BodyBytes += 180
		s.LastData = b.now
	})
}

// Finish completes the stream, with the server's usage.
func (b *Backend) Finish() {
	b.change(func(s *metrics.Stream) {
		s.Finish = "stop"
		s.Marks.FinishReason, s.Marks.DoneMarker = b.now, b.now
		s.Usage = metrics.Usage{Prompt: 42, Completion: len(s.Chunks), Reasoning: -1, Cached: -1, Total: 42 + len(s.Chunks)}
		s.TokensFrom = metrics.TokensUsage
		b.ended(s, metrics.Done)
	})
}

// Fail ends the stream with a fault.
func (b *Backend) Fail(f metrics.Fault) {
	b.change(func(s *metrics.Stream) {
		s.Fault = &f
		b.ended(s, metrics.Failed)
	})
}

func (b *Backend) ended(s *metrics.Stream, st metrics.State) {
	s.State, s.Marks.End = st, b.now
	s.Observer = b.Watch
	view := *s
	view.Now = b.now
	b.runs = append(b.runs[:len(b.runs):len(b.runs)],
		metrics.Run{Stream: view, Figures: metrics.Measure(&view, metrics.Options{})})
}

// locked returns what v is now. Slices and maps are not copied: all of these are
// appended to or replaced.
func locked[T any](mu *sync.Mutex, v *T) T {
	mu.Lock()
	defer mu.Unlock()
	return *v
}

// Begun are the workloads of all requests so far.
func (b *Backend) Begun() []metrics.Workload { return locked(&b.mu, &b.begun) }

// Calls are the commands given so far, by name.
func (b *Backend) Calls() []string { return locked(&b.mu, &b.calls) }

func (b *Backend) Begin(w metrics.Workload) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.begun, b.calls = append(b.begun, w), append(b.calls, "begin")
	b.s = metrics.NoStream(0)
	b.s.ID, b.s.State, b.s.Work, b.s.Endpoint = len(b.begun), metrics.Connecting, w, b.end
	b.s.Wall, b.s.Stamps = time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC), metrics.SourceKernel
	b.s.Marks.Start = b.now
	b.version++
}

func (b *Backend) Stop() {
	b.Note("stop", func() {
		if b.s.State != metrics.Idle && !b.s.State.Ended() {
			b.s.Fault = &metrics.Fault{Kind: metrics.FaultCancelled, Message: "stopped by you"}
			b.ended(&b.s, metrics.Cancelled)
			b.version++
		}
	})
}

func (b *Backend) Version() uint64 { return locked(&b.mu, &b.version) }

func (b *Backend) Snapshot() metrics.Stream {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.s
	s.Now = b.now
	s.Chunks, s.Text = s.Chunks[:len(s.Chunks):len(s.Chunks)], s.Text[:len(s.Text):len(s.Text)]
	return s
}

func (b *Backend) Now() metrics.Stamp { return locked(&b.mu, &b.now) }

func (b *Backend) Runs() []metrics.Run { return locked(&b.mu, &b.runs) }

func (b *Backend) Observer() metrics.Observer { return b.Watch }

func (b *Backend) Endpoint() metrics.Endpoint { return locked(&b.mu, &b.end) }

func (b *Backend) Typed(text string) (e metrics.Endpoint, reads []string, err error) {
	return endpoint.Typed(text)
}

// Use makes e the endpoint in use and adds call to Calls.
func (b *Backend) Use(call string, e metrics.Endpoint) {
	b.Note(call, func() { b.end, b.version = e, b.version+1 })
}

// Running reports whether a request is running.
func (b *Backend) Running() bool {
	s := locked(&b.mu, &b.s)
	return s.State != metrics.Idle && !s.State.Ended()
}
