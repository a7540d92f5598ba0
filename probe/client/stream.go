package client

import (
	"context"
	"slices"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/probe/dialect"
	"tokscope/probe/sse"
	"tokscope/probe/transport"
)

// Stream is the live record of one request. Its own lock guards it; the folder
// writes, anybody may take a Snapshot. Once Done is closed it never changes.
type Stream struct {
	id     int
	engine *Engine
	cancel context.CancelCauseFunc
	done   chan struct{}
	// release lets go of what the running request holds of the engine. Called
	// once, after the end.
	release      func()
	unobserved   bool // no sink hears of it
	reportsQueue bool // the server was asked to tell of its queue, and is one that does

	mu      sync.Mutex
	v       metrics.Stream     // Chunks and Text only ever grow; a snapshot shares them
	current *transport.Capture // of the attempt that runs; nil before the first and after the end
	heart   metrics.Stamp      // begin of the observer's watch
	onEnd   []func()           // see Then
	ended   bool               // done is closed
	shown   bool               // a snapshot shares v.Server

	// Owned by the folder goroutine.
	asm    sse.Assembler
	dec    *dialect.Decoder
	out    dialect.Out
	sent   metrics.Stamp
	usage  []byte    // the server's last usage object
	raw    [4]string // names as the server wrote them, see name
	folded Folded
	event  sse.Event // the one in Folded
	tell   []Sink    // who hears of what is folded now
	emit   func(sse.Event)
}

// ID returns the stream's number within its engine, from 1.
func (s *Stream) ID() int { return s.id }

// sinks returns the sinks of the stream.
func (s *Stream) sinks() []Sink {
	if s.unobserved {
		return nil
	}
	return s.engine.allSinks()
}

// Done returns a channel that is closed once the stream has ended and its
// figures are final.
func (s *Stream) Done() <-chan struct{} { return s.done }

// OnEnd calls f on a goroutine of its own after the end, now if that was before:
// for callers with so many streams that a stack waiting for each would count.
func (s *Stream) OnEnd(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		go f()
		return
	}
	s.onEnd = append(s.onEnd, f)
}

// announceEnd closes Done: the record is final.
func (s *Stream) announceEnd() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.done)
	for _, f := range s.onEnd {
		go f()
	}
	s.ended, s.onEnd = true, nil
}

// Cancel ends the request and keeps all arrived chunks. It returns at once.
func (s *Stream) Cancel() { s.cancel(errCancelled) }

// Snapshot returns an immutable view of the stream as it is now. It copies a
// struct and shares the chunks and the text, whatever their number.
func (s *Stream) Snapshot() metrics.Stream {
	s.mu.Lock()
	v := s.v
	a := s.current
	s.shown = true
	s.mu.Unlock()
	// Nobody may append into what a snapshot shares.
	v.Chunks = v.Chunks[:len(v.Chunks):len(v.Chunks)]
	v.Text = v.Text[:len(v.Text):len(v.Text)]
	v.Server = v.Server[:len(v.Server):len(v.Server)]
	v.Now = s.engine.clock.Now()
	if a != nil && !v.State.Ended() {
		mergeWire(&v, a)
		if v.State == metrics.Connecting && v.Marks.Sent.Known() {
			v.State = metrics.Waiting
		}
		v.DataDeadline, v.DataBound = a.Deadline()
	}
	return v
}

// Glance fills v with what the stream has brought, and nothing else: ID, State,
// Now, Queue, Chunks and Text are those of a Snapshot. It costs less than half of
// one and leaves alone what the transport writes: for those who look at a thousand
// streams thirty times a second.
func (s *Stream) Peek(v *metrics.Stream) {
	s.mu.Lock()
	if s.v.State < metrics.Decoding { // whether it is sent only the transport knows
		s.mu.Unlock()
		all := s.Snapshot()
		*v = metrics.Stream{ID: all.ID, State: all.State, Now: all.Now, Queue: all.Queue, Chunks: all.Chunks, Text: all.Text}
		return
	}
	*v = metrics.Stream{ID: s.id, State: s.v.State, Queue: s.v.Queue, Chunks: s.v.Chunks, Text: s.v.Text}
	s.mu.Unlock()
	v.Chunks = v.Chunks[:len(v.Chunks):len(v.Chunks)]
	v.Text = v.Text[:len(v.Text):len(v.Text)]
	v.Now = s.engine.clock.Now()
}

// mergeWire copies into v what the transport knows about the attempt c.
func mergeWire(v *metrics.Stream, c *transport.Capture) {
	s := c.Marks()
	s.Start = v.Marks.Start
	s.FirstEvent, s.FirstComment, s.FirstRole = v.Marks.FirstEvent, v.Marks.FirstComment, v.Marks.FirstRole
	s.FinishReason, s.DoneMarker = v.Marks.FinishReason, v.Marks.DoneMarker
	v.Marks = s
	v.Conn = c.Conn()
	v.Stamps = c.Stamps()
	o := &v.Observer
	v.Reads, v.BodyBytes, o.KernelStamps, o.UserStamps, o.LateEvents, o.SharedReads = c.Counts()
}

// attempt makes c the capture of the attempt that now begins.
func (s *Stream) attempt(a *transport.Capture, dec *dialect.Decoder) {
	s.mu.Lock()
	s.current = a
	s.v.State, s.v.Queue = metrics.Connecting, metrics.QueueUntold
	s.dec, s.asm, s.sent = dec, sse.Assembler{}, metrics.NoStamp
	s.mu.Unlock()
	s.engine.changed()
}

// asking marks the start of discovery, before the request.
func (s *Stream) asking() {
	s.mu.Lock()
	s.v.Asking = true
	s.mu.Unlock()
	s.engine.changed()
}

// begin says that the request is begun, now; e is its endpoint if that was found.
func (s *Stream) begin(e metrics.Endpoint, found bool) {
	s.mu.Lock()
	if found {
		s.v.Endpoint = e
	}
	if s.v.Asking {
		s.v.Asking, s.v.Marks.Start, s.v.Wall = false, s.engine.clock.Now(), time.Now()
	}
	s.mu.Unlock()
}

// note adds a sentence that qualifies the figures.
func (s *Stream) note(n metrics.Note) {
	s.mu.Lock()
	s.addNote(n)
	s.mu.Unlock()
	s.engine.changed()
}

// addNote keeps one note of each code: s.mu is held.
func (s *Stream) addNote(n metrics.Note) {
	for _, have := range s.v.Notes {
		if have.Code == n.Code {
			return
		}
	}
	// Snapshots share the old slice, so it is copied, not appended to.
	s.v.Notes = append(append([]metrics.Note(nil), s.v.Notes...), n)
}

// fold takes one decoded event into the record: s.mu is held. It allocates
// only when a slice must grow.
//
// It returns the number of chunks the event made.
func (s *Stream) ingest(ev *sse.Event, out *dialect.Out) int {
	v := &s.v
	if out.Comment {
		v.Comments++
		if s.reportsQueue {
			s.ingestQueue(ev.Data)
		}
		if !v.Marks.FirstComment.Known() {
			v.Marks.FirstComment = ev.At
		}
		return 0
	}
	index := v.Events
	v.Events++
	v.LastData = ev.At
	if !v.Marks.FirstEvent.Known() {
		v.Marks.FirstEvent = ev.At
	}
	if out.Choices && !v.Marks.FirstRole.Known() {
		v.Marks.FirstRole = ev.At
	}
	for i := range out.Deltas {
		d := &out.Deltas[i]
		v.Text = append(v.Text, d.Text...)
		v.Chunks = append(v.Chunks, metrics.Chunk{
			At: ev.At, User: ev.User, Read: ev.Read, Event: int32(index), Bytes: ev.Bytes,
			TextEnd: int32(len(v.Text)), Tokens: d.Tokens, Choice: d.Choice, Kind: d.Kind, Kernel: ev.Kernel,
		})
	}
	if len(out.Deltas) > 0 && v.State != metrics.Decoding {
		v.State = metrics.Decoding
	}
	s.foldRest(ev.At, out)
	return len(out.Deltas)
}

// ingestQueue takes what the embedded endpoint says of its queue: s.mu is held.
func (s *Stream) ingestQueue(word []byte) {
	switch {
	case string(word) == "waiting" && s.v.Queue == metrics.QueueUntold:
		s.v.Queue = metrics.QueueWaiting
	case string(word) == "prefill":
		s.v.Queue = metrics.QueueAdmitted
	}
}

// foldRest takes everything but chunks: s.mu is held.
func (s *Stream) foldRest(at metrics.Stamp, out *dialect.Out) {
	v := &s.v
	if out.Usage != nil {
		v.Usage, v.Usage.Raw = *out.Usage, nil
		s.usage = append(s.usage[:0], out.Usage.Raw...)
	}
	if out.LiveTokens >= 0 {
		v.LiveTokens = out.LiveTokens
	}
	if out.TokensFrom != metrics.TokensUnknown {
		v.TokensFrom = out.TokensFrom
	}
	for _, t := range out.Server {
		s.putServer(t)
	}
	if out.Progress != nil {
		v.Progress = *out.Progress
	}
	if out.Finish != "" && v.Finish == "" {
		v.Finish = out.Finish
		v.Marks.FinishReason = at
	}
	if out.Done && !v.Marks.DoneMarker.Known() {
		v.Marks.DoneMarker = at
	}
	if out.RateLimit != nil {
		v.RateLimit = out.RateLimit
	}
	s.name(&v.RequestID, &s.raw[0], out.RequestID)
	s.name(&v.Model, &s.raw[1], out.Model)
	s.name(&v.Provider, &s.raw[2], out.Provider)
	s.name(&v.Fingerprint, &s.raw[3], out.Fingerprint)
	for _, n := range out.Notes {
		s.addNote(n)
	}
	if out.Fault != nil && v.Fault == nil {
		v.Fault = s.engine.scrubFault(out.Fault)
	}
}

// name takes a name that the server gave, without keys: headers and bodies may
// echo one. raw remembers what was taken, because a name may come with every
// event and scrubbing is dear.
func (s *Stream) name(dst, raw *string, said string) {
	if said != "" && said != *raw {
		*raw = said
		*dst = s.engine.scrub.String(said)
	}
}

// putServer puts t in the place of an earlier time of the same name and
// source: servers may tell it anew on every event. s.mu is held.
func (s *Stream) putServer(t metrics.ServerTime) {
	for i := range s.v.Server {
		if have := s.v.Server[i]; have.Name == t.Name && have.From == t.From {
			if have == t {
				return
			}
			if s.shown {
				s.v.Server, s.shown = slices.Clone(s.v.Server), false
			}
			s.v.Server[i] = t
			return
		}
	}
	s.v.Server = append(s.v.Server, t)
}

// end makes the record final. fault is nil for a good end.
func (s *Stream) end(at metrics.Stamp, fault *metrics.Fault) {
	s.mu.Lock()
	v := &s.v
	if s.current != nil {
		mergeWire(v, s.current)
		v.Observer.LagP50, v.Observer.LagP99, _ = s.current.LagQuantiles()
	}
	if v.Fault == nil {
		v.Fault = fault
	}
	v.Marks.End = at
	v.Now = at
	v.DataDeadline, v.DataBound = metrics.NoStamp, ""
	v.State = endState(v.Fault)
	lag := s.engine.jitter.Since(s.heart)
	v.Observer.LateP50, v.Observer.LateP99, v.Observer.LateMax, v.Observer.N = lag.LateP50, lag.LateP99, lag.LateMax, lag.N
	v.Observer.GCPauses, v.Observer.GCTotal = lag.GCPauses, lag.GCTotal
	v.Observer.ClockStep = s.engine.clock.Step()
	if len(s.usage) > 0 {
		v.Usage.Raw = s.usage
	}
	// A finished stream keeps little slack: 1000 chunks with their text stay under 64 kB.
	v.Chunks, v.Text = trim(v.Chunks), trim(v.Text)
	s.current, s.dec, s.usage = nil, nil, nil
	s.asm, s.out, s.folded, s.event, s.tell = sse.Assembler{}, dialect.Out{}, Folded{}, sse.Event{}, nil
	s.mu.Unlock()
}

// trim reallocates x to its length if more than 1/8 of its length is unused.
// Otherwise it returns x: copying a thousand streams at their common end
// would set the peak of the program's memory.
func trim[T any](x []T) []T {
	if cap(x)-len(x) <= len(x)/8 {
		return x
	}
	return append(make([]T, 0, len(x)), x...)
}

// endState returns the final state for a fault.
func endState(f *metrics.Fault) metrics.State {
	switch {
	case f == nil:
		return metrics.Done
	case f.Kind == metrics.FaultCancelled:
		return metrics.Cancelled
	case f.Kind == metrics.FaultTruncated:
		return metrics.Truncated
	}
	return metrics.Failed
}

// newStream returns the record of a request that begins now.
func newStream(e *Engine, id int, w metrics.Workload, ep metrics.Endpoint, cancel context.CancelCauseFunc) *Stream {
	s := &Stream{id: id, engine: e, cancel: cancel, done: make(chan struct{})}
	now := e.clock.Now()
	s.v = metrics.Stream{
		ID: id, State: metrics.Connecting, Now: now, Wall: time.Now(), Work: w, Endpoint: ep,
		Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), LiveTokens: -1,
		LastData: metrics.NoStamp, DataDeadline: metrics.NoStamp,
		Progress: metrics.Progress{At: metrics.NoStamp},
	}
	s.v.Marks.Start = now
	if n := w.MaxTokens; n > 0 && n <= 4096 {
		// Room for the chunks that are expected, so that folding seldom grows.
		s.v.Chunks = make([]metrics.Chunk, 0, n+8)
		s.v.Text = make([]byte, 0, 6*n)
	}
	s.heart = now
	s.emit = s.addEvent
	return s
}
