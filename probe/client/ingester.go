package client

import (
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/probe/dialect"
	"tokscope/probe/sse"
	"tokscope/probe/transport"
)

// sweepEvery is the interval between two looks of ingest at the running
// streams. It is well below a frame (33 ms), so a screen never waits for it.
// It is far above the cost of a look (tens of ns per stream), so a thousand
// streams cost under 1 % of a core.
const sweepEvery = 4 * time.Millisecond

// Without new lines ingest looks less often, every half frame, after
// quietLooks empty looks (a quarter of a second). Streams that wait for their
// server then cost next to nothing. A first token reaches the screen 8 ms
// later on average; its stamp is the reader's and unaffected.
const (
	quietEvery = 16 * time.Millisecond
	quietLooks = 64
)

// quietFrom is the number of streams from which ingest drops to background
// priority. Decoding for many streams then cannot make a reader late. For few
// streams it would only make the screen late on a busy machine, where such a
// thread starves.
const quietFrom = 16

// drains is the number of batches of one stream in a row, so that a flood does
// not keep the ingester from the others.
const drains = 16

// ingester takes what the readers have stamped, decodes it and folds it into the
// streams. One goroutine does it for all streams: a goroutine a stream would
// wake for every chunk and compete with the readers for the CPU.
type ingester struct {
	engine  *Engine
	mu      sync.Mutex
	queue   []*job // entered, not yet swept
	wake    chan struct{}
	quit    chan struct{}
	stopped chan struct{}
	spare   showing // lent to each stream while it shows its sinks a batch
}

// job is one attempt whose lines are ingested. A job without over only shows
// its sinks when its request was sent.
type job struct {
	s        *Stream
	attempt  *attempt
	ingested func()     // called on a goroutine of enders when everything was folded
	path     *pathWatch // not nil: the job only looks at the network
}

func newIngester(e *Engine) *ingester {
	f := &ingester{engine: e, wake: make(chan struct{}, 1), quit: make(chan struct{}), stopped: make(chan struct{})}
	go f.loop(nil, false)
	return f
}

// enter hands an attempt to the ingester, which has enders call ingested once the
// last line is folded. Nobody need wait for it: a thousand that do
// would hold the stacks with which they have sent their requests, 16 kB each.
func (f *ingester) enter(s *Stream, a *attempt, ingested func()) {
	f.add(&job{s: s, attempt: a, ingested: ingested})
}

// awaitSent shows the sinks of s when the request of a is sent.
func (f *ingester) awaitSent(s *Stream, a *attempt) { f.add(&job{s: s, attempt: a}) }

// lookAt looks at the network beneath a until its response ends.
func (f *ingester) lookAt(s *Stream, a *attempt) { f.add(&job{s: s, attempt: a, path: a.path}) }

func (f *ingester) add(j *job) {
	f.mu.Lock()
	f.queue = append(f.queue, j)
	f.mu.Unlock()
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

func (f *ingester) close() {
	close(f.quit)
	<-f.stopped
}

// loop sweeps while streams run and sleeps for good while none does. It hands
// the jobs to a goroutine of the other priority when their number asks for it:
// a thread that has given way may not be allowed to rise again.
func (f *ingester) loop(jobs []*job, background bool) {
	if background {
		undo, err := transport.Background()
		if err == nil {
			defer undo()
		}
	}
	var batch transport.Batch
	tick := time.NewTimer(time.Hour)
	defer tick.Stop()
	vain := 0 // consecutive looks without a line
	for {
		if !background && len(jobs) >= quietFrom || background && len(jobs) == 0 {
			go f.loop(jobs, !background)
			return
		}
		if len(jobs) == 0 {
			select {
			case <-f.wake:
			case <-f.quit:
				close(f.stopped)
				return
			}
		} else {
			every := sweepEvery
			if vain >= quietLooks {
				every = quietEvery
			}
			tick.Reset(every)
			select {
			case <-tick.C:
			case <-f.wake:
				vain = 0
			case <-f.quit:
				close(f.stopped)
				return
			}
		}
		vain++
		f.mu.Lock()
		jobs = append(jobs, f.queue...)
		f.queue = f.queue[:0]
		f.mu.Unlock()

		keep := jobs[:0]
		for _, j := range jobs {
			more, lines := f.sweep(j, &batch)
			if lines {
				vain = 0
			}
			if more {
				keep = append(keep, j)
			} else if j.ingested != nil {
				f.engine.enders.do(j.ingested)
			}
		}
		clear(jobs[len(keep):])
		jobs = keep
	}
}

// sweep folds what is pending for j and reports whether more may come, and
// whether there were lines. A panic in a decoder or a sink ends that stream,
// not the program.
func (f *ingester) sweep(j *job, b *transport.Batch) (more, lines bool) {
	defer func() {
		if p := recover(); p != nil {
			j.s.broke(panicFault(p))
			j.s.cancel(errCancelled)
			j.attempt.capture.Free()
			more = false
		}
	}()
	if j.path != nil {
		return j.path.sweep() && j.s.attempts(j.attempt), false
	}
	if j.ingested == nil {
		b.Lines = b.Lines[:0]
		return !j.s.audience.showSent(j.attempt) && j.s.attempts(j.attempt), false
	}
	for n := 0; n == 0 || b.Rest && n < drains; n++ {
		more = j.attempt.capture.Drain(b)
		if len(b.Lines) > 0 || len(b.Reads) > 0 {
			j.s.foldBatch(b, &f.spare)
			f.engine.changed()
			lines = true
		}
	}
	if !more {
		j.attempt.capture.Free()
	}
	return more, lines
}

// foldBatch ingests lines under one lock for the whole batch, and then shows
// the sinks the results, in the memory of spare.
func (s *Stream) foldBatch(b *transport.Batch, spare *showing) {
	var shared metrics.Stream
	s.audience.borrow(spare)
	sent := s.decode(b, &shared)
	if s.joins.holds() && s.audience.wait() {
		s.audience.giveBack(spare)
		return // an event with a part of a key must not be recorded
	}
	s.audience.show(sent, &shared)
	s.audience.giveBack(spare)
	s.joins.shown()
}

// decode ingests lines and queues the happenings for the sinks. It fills
// shared with the chunks and the text, and returns when the request was sent.
func (s *Stream) decode(b *transport.Batch, shared *metrics.Stream) (sent metrics.Stamp) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dec == nil {
		return metrics.NoStamp
	}
	w := lend(s)
	reads := b.Reads
	for i := range b.Lines {
		for len(reads) > 0 && reads[0].Lines <= i {
			s.audience.keepRead(&reads[0])
			reads = reads[1:]
		}
		s.asm.Push(b.Lines[i], s.emit)
	}
	for i := range reads {
		s.audience.keepRead(&reads[i])
	}
	giveBack(s, w)
	if len(s.v.Chunks) > 0 {
		s.current.capture.TokensCame()
	}
	shared.Chunks, shared.Text = s.v.Chunks, s.v.Text
	return s.current.sent()
}

// flush ingests the rest in the assembler and asks the decoder how the stream
// ended. It is called once, after the last sweep of an attempt.
func (s *Stream) flush(eof bool) {
	var shared metrics.Stream
	sent := s.decodeEnd(eof, &shared)
	s.audience.show(sent, &shared)
}

// decodeEnd is decode for the end of the body; eof means that the body was
// complete.
func (s *Stream) decodeEnd(eof bool, shared *metrics.Stream) (sent metrics.Stamp) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dec == nil {
		return metrics.NoStamp
	}
	w := lend(s)
	s.asm.Flush(s.emit)
	s.dec.Finish(eof, s.out)
	if len(s.out.Deltas) > 0 && len(s.v.Chunks) > 0 {
		// Text held back by the decoder belongs to the last event.
		last := s.v.Chunks[len(s.v.Chunks)-1]
		ev := sse.Event{At: last.At, User: last.User, Read: last.Read, Kernel: last.Kernel}
		s.ingest(&ev, s.out)
		s.v.Events--
	} else {
		s.foldRest(s.engine.clock.Now(), s.out)
	}
	giveBack(s, w)
	s.endText()
	shared.Chunks, shared.Text = s.v.Chunks, s.v.Text
	return s.current.sent()
}

// addEvent decodes and folds one event: s.mu is held.
func (s *Stream) addEvent(ev sse.Event) {
	if s.engine.scrub.Hit(ev.Data) {
		ev.Data = s.engine.scrub.Bytes(ev.Data)
	}
	if s.engine.scrub.Hit(ev.Name) {
		ev.Name = s.engine.scrub.Bytes(ev.Name)
	}
	if s.out == nil {
		s.out = new(dialect.Out)
	}
	s.dec.Event(ev, s.out)
	index := s.v.Events
	n := s.ingest(&ev, s.out)
	if s.audience.events {
		s.audience.keepEvent(&ev, index, len(s.v.Chunks)-n, n, s.joins.joined)
	}
	s.maskFound()
}

// broke ends the stream with an internal fault, unless it has failed already.
func (s *Stream) broke(f *metrics.Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.v.Fault == nil {
		s.v.Fault = s.engine.scrubFault(f)
		s.figures = nil
	}
	if s.v.State.Ended() {
		s.v.State = endState(s.v.Fault)
	}
}

// panicFault returns the fault of a stream after a panic in this program.
func panicFault(p any) *metrics.Fault {
	return &metrics.Fault{
		Kind: metrics.FaultInternal, Message: fmt.Sprintf("a bug in tokscope ended this stream: %v", p),
		Next: "please report it with the session file", Body: string(debug.Stack()),
	}
}
