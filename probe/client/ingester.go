package client

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tokscope/metrics"
	"tokscope/probe/dialect"
	"tokscope/probe/sse"
	"tokscope/probe/transport"
)

// sweepEvery is the interval between two rounds of ingest. It is well below a
// frame (33 ms), so a screen never waits for it.
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

// From quietFrom streams on a round follows after crowdEvery: what came of a
// stream meanwhile is taken at once. After more than floodLines the next round
// follows after sweepEvery, so that no flood waits in memory. An end is always
// taken within sweepEvery, because a user's next request follows it.
//
// Without a screen (Engine.Gather) it is gatherEvery and gatherLines: a
// stream's lines are taken several at a time, not one by one, each of them out
// of a cold cache. With 1000 streams of 50 chunks/s that saves a tenth of the
// CPU time.
const (
	crowdEvery  = 16 * time.Millisecond
	floodLines  = 8192
	gatherEvery = 64 * time.Millisecond
	gatherLines = 16384
)

// drains is the number of batches of one stream in a row, so that a flood does
// not keep the ingester from the others.
const drains = 16

// ingester takes what the readers have stamped, decodes it and folds it into the
// streams. One goroutine does it for all streams: a goroutine a stream would
// wake for every chunk and compete with the readers for the CPU.
//
// A round touches only attempts with new lines. Their readers put them into a
// list without a lock.
type ingester struct {
	engine  *Engine
	mu      sync.Mutex
	queue   []*job                  // entered, not yet seen by a round
	lines   atomic.Pointer[attempt] // the list of attempts with lines, the last one first
	wake    chan struct{}
	quit    chan struct{}
	stopped chan struct{}
	gathers atomic.Bool // see Engine.Gather

	// Owned by the goroutine of loop.
	streams int        // jobs that take lines
	vain    int        // consecutive rounds without a line
	latest  int        // lines of the latest round
	looks   []*job     // jobs without lines: each round looks at them
	turn    []*attempt // of a round
	batch   transport.Batch
	spare   showing // lent to each stream while it shows its sinks a batch
}

// job is one attempt whose lines are ingested, or at which each round looks.
type job struct {
	s        *Stream
	attempt  *attempt
	ingested func()      // called on a goroutine of enders when everything was folded
	look     func() bool // in place of ingesting; false: for the last time
}

func newIngester(e *Engine) *ingester {
	f := &ingester{engine: e, wake: make(chan struct{}, 1), quit: make(chan struct{}), stopped: make(chan struct{})}
	go f.loop(false)
	return f
}

// enter hands an attempt to the ingester, which has enders call ingested once the
// last line is folded. Nobody need wait for it: a thousand that do
// would hold the stacks with which they have sent their requests, 16 kB each.
func (f *ingester) enter(s *Stream, a *attempt, ingested func()) {
	f.add(&job{s: s, attempt: a, ingested: ingested})
}

func (f *ingester) add(j *job) {
	f.mu.Lock()
	f.queue = append(f.queue, j)
	f.mu.Unlock()
	f.ring()
}

func (f *ingester) close() {
	close(f.quit)
	<-f.stopped
}

// ready puts a into the list of attempts with lines. Any goroutine may call it;
// it never waits.
func (f *ingester) ready(a *attempt, ended bool) {
	if !a.listed.Swap(true) {
		for {
			a.below = f.lines.Load()
			if f.lines.CompareAndSwap(a.below, a) {
				break
			}
		}
	}
	if ended {
		f.ring()
	}
}

// ring wakes loop before its next round is due.
func (f *ingester) ring() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// listed takes the list of attempts with lines, in the order in which they came to
// have some. The result is valid until the next call.
func (f *ingester) listed() []*attempt {
	f.turn = f.turn[:0]
	for a := f.lines.Swap(nil); a != nil; {
		below := a.below
		a.below = nil
		a.listed.Store(false) // before the lines are taken: later ones list it again
		f.turn = append(f.turn, a)
		a = below
	}
	slices.Reverse(f.turn)
	return f.turn
}

// loop makes rounds while streams run and sleeps for good while none does. It
// goes on as a goroutine of the other priority when the number of streams asks
// for it: a thread that has given way may not be allowed to rise again. close ends it.
func (f *ingester) loop(background bool) {
	if background {
		undo, err := transport.Background()
		if err == nil {
			defer undo()
		}
	}
	tick := time.NewTimer(time.Hour)
	defer tick.Stop()
	for {
		if !background && f.streams >= quietFrom || background && f.streams == 0 {
			go f.loop(!background)
			return
		}
		if !f.rest(tick, background) {
			close(f.stopped)
			return
		}
		f.vain++
		if f.latest = f.round(); f.latest > 0 {
			f.vain = 0
		}
	}
}

// rest waits until the next round is due. It returns false when the ingester is to
// end.
func (f *ingester) rest(tick *time.Timer, background bool) (goOn bool) {
	if f.streams+len(f.looks) == 0 {
		select {
		case <-f.wake:
			return true
		case <-f.quit:
			return false
		}
	}
	began := time.Now()
	tick.Reset(f.pause(background))
	select {
	case <-tick.C:
		return true
	case <-f.quit:
		return false
	case <-f.wake:
		f.vain = 0
	}
	left := sweepEvery - time.Since(began)
	if !background || left <= 0 {
		return true
	}
	tick.Reset(left) // a thousand ends wake it once
	select {
	case <-tick.C:
		return true
	case <-f.quit:
		return false
	}
}

// pause returns the time until the next round.
func (f *ingester) pause(background bool) time.Duration {
	switch gathers := f.gathers.Load(); {
	case background && gathers && f.latest <= gatherLines:
		return gatherEvery
	case f.vain >= quietLooks:
		return quietEvery
	case background && f.latest <= floodLines:
		return crowdEvery
	}
	return sweepEvery
}

// round sweeps the jobs that have something, and returns the number of lines and
// reads that it took.
func (f *ingester) round() (lines int) {
	f.mu.Lock()
	fresh := f.queue
	f.queue = nil
	f.mu.Unlock()
	ready := f.listed()
	for _, j := range fresh {
		if j.look != nil {
			f.looks = append(f.looks, j)
			continue
		}
		f.streams++
		j.attempt.job = j
		lines += f.collect(j) // it may have had lines before
	}
	for _, a := range ready {
		if a.job != nil {
			lines += f.collect(a.job)
		}
	}
	clear(ready)
	f.looks = slices.DeleteFunc(f.looks, func(j *job) bool {
		more, _ := f.sweep(j)
		return !more
	})
	return lines
}

// collect sweeps a job that takes lines, and ends it after the last one.
func (f *ingester) collect(j *job) (lines int) {
	more, lines := f.sweep(j)
	if !more {
		f.streams--
		j.attempt.job = nil
		f.engine.enders.do(j.ingested)
	}
	return lines
}

// sweep folds what is pending for j. It reports whether more may come, and how
// many lines and reads there were. A panic in a decoder or a sink ends that
// stream, not the program.
func (f *ingester) sweep(j *job) (more bool, lines int) {
	defer func() {
		if p := recover(); p != nil {
			j.s.broke(transport.PanicFault(p))
			j.s.cancel(errCancelled)
			j.attempt.capture.Free()
			more = false
		}
	}()
	if j.look != nil {
		return j.look() && j.s.attempts(j.attempt), 0
	}
	b := &f.batch
	for n := 0; n == 0 || b.Rest && n < drains; n++ {
		more = j.attempt.capture.Drain(b)
		if some := len(b.Lines) + len(b.Reads); some > 0 {
			j.s.foldBatch(b, &f.spare)
			f.engine.changed()
			lines += some
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
	if p := &s.v.Progress; p.At.Known() {
		s.current.capture.Progressed(p.At, p.Processed)
	}
	s.tellEnd(s.current.capture)
	shared.Chunks, shared.Text, shared.Usage, shared.Finish = s.v.Chunks, s.v.Text, s.v.Usage, s.v.Finish
	s.pack(false)
	return s.current.sent()
}

// tellEnd tells the capture since when the answer is whole, and when its end marker
// arrived: s.mu is held.
func (s *Stream) tellEnd(c *transport.Capture) {
	c.Whole(s.dec.Whole())
	at, ends := s.asm.Ending()
	if !ends {
		at = s.v.Marks.DoneMarker
	}
	if at.Known() {
		c.Complete(at)
	}
}

// flush ingests the rest in the assembler and asks the decoder how the stream
// ended. It is called once, after the last sweep of the attempt of c. It returns
// the error of c's end.
func (s *Stream) flush(c *transport.Capture) error {
	var shared metrics.Stream
	sent, err := s.decodeEnd(c, &shared)
	s.audience.show(sent, &shared)
	return err
}

// decodeEnd is decode for the end of the body.
func (s *Stream) decodeEnd(c *transport.Capture, shared *metrics.Stream) (sent metrics.Stamp, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dec == nil {
		_, err = c.End()
		return metrics.NoStamp, err
	}
	w := lend(s)
	s.asm.Flush(s.emit)
	s.tellEnd(c)
	s.current.cutOff.Store(c.CutOff())
	_, err = c.End()
	s.foldEnd(err == nil, s.engine.clock.Now(), s.out)
	giveBack(s, w)
	s.endText()
	shared.Chunks, shared.Text, shared.Usage, shared.Finish = s.v.Chunks, s.v.Text, s.v.Usage, s.v.Finish
	return s.current.sent(), err
}

// foldEnd adds what the decoder says of the end of the body: s.mu is held. Text that it
// has held back belongs to the last event.
func (s *Stream) foldEnd(eof bool, now metrics.Stamp, out *dialect.Out) {
	s.dec.Finish(eof, out)
	if n := len(s.v.Chunks); len(out.Deltas) > 0 && n > 0 {
		last := s.v.Chunks[n-1]
		ev := sse.Event{At: last.At, User: last.User, Read: last.Read, Kernel: last.Kernel}
		s.ingest(&ev, out)
		s.v.Events--
		return
	}
	s.foldRest(now, out)
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
		s.v.Fault = s.engine.ScrubFault(f)
		s.figures = nil
	}
	if s.v.State.Ended() {
		s.v.State = endState(s.v.Fault)
	}
}
