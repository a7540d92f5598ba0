package client

import (
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"tokscope/metrics"
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
}

// job is one attempt whose lines the folder takes.
type job struct {
	s       *Stream
	capture *transport.Capture
	over    func() // told, on a goroutine of its own, when everything was folded
}

func newIngester(e *Engine) *ingester {
	f := &ingester{engine: e, wake: make(chan struct{}, 1), quit: make(chan struct{}), stopped: make(chan struct{})}
	go f.loop(nil, false)
	return f
}

// enter hands an attempt to the folder, which calls over on a goroutine of its
// own once the last line is folded. Nobody need wait for it: a thousand that do
// would hold the stacks with which they have sent their requests, 16 kB each.
func (f *ingester) enter(s *Stream, c *transport.Capture, over func()) {
	j := &job{s: s, capture: c, over: over}
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
	vain := 0 // looks in a row that found nothing
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
			more := f.sweep(j, &batch)
			if len(batch.Lines) > 0 {
				vain = 0
			}
			if more {
				keep = append(keep, j)
			} else {
				go j.over()
			}
		}
		clear(jobs[len(keep):])
		jobs = keep
	}
}

// sweep folds what is pending for j and reports whether more may come. A panic
// in a decoder or a sink ends that stream, not the program.
func (f *ingester) sweep(j *job, b *transport.Batch) (more bool) {
	defer func() {
		if p := recover(); p != nil {
			j.s.mu.TryLock() // the panic may have come with or without the lock
			if j.s.v.Fault == nil {
				j.s.v.Fault = f.engine.scrubFault(panicFault(p))
			}
			j.s.mu.Unlock()
			j.s.cancel(errCancelled)
			more = false
		}
	}()
	more = j.capture.Drain(b)
	if len(b.Lines) > 0 {
		f.fold(j.s, b.Lines)
	}
	return more
}

// flush folds what the assembler still holds, and asks the decoder how the
// stream ended. Called once, after the last sweep of an attempt.
func (s *Stream) flush(eof bool) {
	sinks := s.sinks()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dec == nil {
		return
	}
	s.tell = sinks
	s.asm.Flush(s.emit)
	s.dec.Finish(eof, &s.out)
	if len(s.out.Deltas) > 0 && len(s.v.Chunks) > 0 {
		// Text that the decoder had held back belongs to the last event.
		last := s.v.Chunks[len(s.v.Chunks)-1]
		ev := sse.Event{At: last.At, User: last.User, Read: last.Read, Kernel: last.Kernel}
		s.ingest(&ev, &s.out)
		s.v.Events--
		return
	}
	s.foldRest(s.engine.clock.Now(), &s.out)
}

// take decodes and folds one event: s.mu is held.
func (s *Stream) addEvent(event sse.Event) {
	s.event = event // the sinks are shown it, and one on the stack would not stay there
	ev := &s.event
	if s.engine.scrub.Hit(ev.Data) {
		ev.Data = s.engine.scrub.Bytes(ev.Data)
	}
	s.dec.Event(*ev, &s.out)
	index := s.v.Events
	n := s.ingest(ev, &s.out)
	if len(s.tell) == 0 {
		return
	}
	first := len(s.v.Chunks) - n
	f := &s.folded
	*f = Folded{ID: s.id, Index: index, Sent: s.sent, Event: ev, First: first, Chunks: s.v.Chunks[first:], Texts: f.Texts[:0]}
	for i := range f.Chunks {
		f.Texts = append(f.Texts, s.v.ChunkText(first+i))
	}
	for _, k := range s.tell {
		k.Event(f)
	}
}

// panicFault returns the fault of a stream after a panic in this program.
func panicFault(p any) *metrics.Fault {
	return &metrics.Fault{
		Kind: metrics.FaultInternal, Message: fmt.Sprintf("a bug in tokscope ended this stream: %v", p),
		Next: "please report it with the session file", Body: string(debug.Stack()),
	}
}
