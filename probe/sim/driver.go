package sim

import (
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

var errClosed = errors.New("the server is shutting down")

// driver runs one engine against the wall clock. Its goroutine owns the
// engine.
type driver struct {
	id        string
	maxQueued int // requests that may wait

	mu       sync.Mutex
	setup    *physics.Setup // new requests are planned for it; changes only on a steered engine
	noPrefix bool           // new requests share no prompt
	inbox    []order
	incoming int // requests in the inbox, without cancellations
	closed   bool
	pace     Pacing
	stats    engine.Stats
	control  clockControl

	wake signal
	done chan struct{}
	// Owned by the engine's goroutine:
	engine     *engine.Engine
	live       map[*engine.Request]*outbox
	unnotified []*engine.Request // requests to be notified that they wait or are being prefilled
	failed     []*engine.Request // failed by a change of the engine
	due        time.Time         // wall time of the current event
	ended      uint64            // steps, counted only on a steered engine
	rep        StepReport        // reused with its buffers
	states     []engine.RequestState

	observer atomic.Pointer[func(*StepReport)]
	truths   *truths // nil unless the engine is steered
	met      *meters
	log      *slog.Logger
	sleep    func(time.Duration) // sleeps exactly for a short time
}

// order is a submitted or cancelled request, or a change of the engine.
type order struct {
	at     time.Time
	req    *engine.Request
	cancel bool
	config *engine.Config
}

// newDriver returns a driver without an engine. Its clock starts now.
func newDriver(id string, speed float64, o *Options) *driver {
	return &driver{id: id, wake: make(signal, 1), done: make(chan struct{}), live: map[*engine.Request]*outbox{},
		control: newClockControl(speed), log: o.Log, sleep: o.Sleep}
}

// start creates the engine and runs it.
func (d *driver) start(o engine.Options) {
	o.OnFail = func(r *engine.Request) { d.failed = append(d.failed, r) }
	d.met = newMeters(contextOf(o.Setup))
	watch := o.OnStep
	o.OnStep = func(s *engine.Step) {
		d.met.step(s)
		if watch != nil {
			watch(s)
		}
	}
	d.engine = engine.New(o)
	d.setup, d.maxQueued = o.Setup, d.engine.MaxQueue()
	go d.run(d.engine)
}

// submit enqueues requests that arrive now. The error is errClosed or
// engine.ErrQueueFull.
func (d *driver) submit(reqs []*engine.Request) error {
	now := time.Now()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return errClosed
	}
	if len(reqs)+d.incoming+d.stats.Queued > d.maxQueued {
		return engine.ErrQueueFull
	}
	for _, r := range reqs {
		d.inbox = append(d.inbox, order{at: now, req: r})
	}
	d.incoming += len(reqs)
	d.wake.set()
	return nil
}

// cancel removes requests, finished or not.
func (d *driver) cancel(reqs []*engine.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range reqs {
		d.inbox = append(d.inbox, order{req: r, cancel: true})
	}
	d.wake.set()
}

// close stops the engine and waits for its goroutine. Open requests fail with
// errClosed.
func (d *driver) close() {
	d.mu.Lock()
	d.closed = true
	d.wake.set()
	d.mu.Unlock()
	<-d.done
}

// inUse reports whether the engine has requests, running or waiting.
func (d *driver) inUse() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.inbox) > 0 || d.stats.Running > 0 || d.stats.Queued > 0
}

// pacing returns how well the engine has kept its clock so far.
func (d *driver) pacing() Pacing {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.pace
}

// view is the state of an engine at the end of its last step.
type view struct {
	stats    engine.Stats
	pace     Pacing
	counters counters
	setup    *physics.Setup
	noPrefix bool
}

func (d *driver) view() view {
	d.met.mu.Lock()
	c := d.met.counters
	d.met.mu.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	return view{d.stats, d.pace, c, d.setup, d.noPrefix}
}

// run is the goroutine of one engine against the wall clock. close ends it.
func (d *driver) run(e *engine.Engine) {
	defer close(d.done)
	// The goroutine keeps its thread and ends with it: tightenTimer changes the
	// thread, and short waits block it.
	runtime.LockOSThread()
	tightenTimer()
	for {
		d.mu.Lock()
		for _, o := range d.inbox {
			d.carryOut(e, o)
		}
		d.reportFailed()
		clear(d.inbox)
		d.inbox, d.incoming = d.inbox[:0], 0
		d.stats = e.Stats()
		at, busy := e.Next()
		if d.control.next = at; !busy {
			d.control.next = never
		}
		closed, paused, single := d.closed, d.control.paused, d.control.single()
		d.mu.Unlock()
		switch {
		case closed:
			for _, f := range d.live {
				f.fail(errClosed)
			}
			return
		case single:
			d.stepOnce(e)
		case paused, !busy:
			<-d.wake
		default:
			if due, ok := d.wait(at); ok { // else an order arrived during the wait
				d.advance(e, at, due)
			}
		}
	}
}

// advance runs the engine event due at engine time at and wall time due.
func (d *driver) advance(e *engine.Engine, at float64, due time.Time) {
	d.due = due
	yield := e.Advance(at)
	d.mu.Lock()
	d.stats = e.Stats()  // set before a client can see the tokens
	c := d.control.clock // shares its past, which is only appended to
	d.mu.Unlock()
	d.notifyQueue(e, due)
	for _, y := range yield {
		d.deliver(y, due, &c)
	}
}

// carryOut executes an order. The caller holds mu.
func (d *driver) carryOut(e *engine.Engine, o order) {
	switch {
	case o.config != nil:
		e.Reconfigure(*o.config)
		return
	case o.cancel:
		if d.live[o.req] != nil { // it was submitted and has not ended
			d.met.end(endedAbort)
		}
		e.Cancel(o.req)
		delete(d.live, o.req)
		return
	}
	s := o.req.User.(*requestRef)
	if err := e.Submit(max(d.control.clock.engine(o.at), 0), o.req); err != nil {
		s.out.fail(err)
		return
	}
	d.live[o.req] = s.out
	d.truths.arrived(s.id, o.req, o.at)
	if s.truth {
		d.unnotified = append(d.unnotified, o.req)
	}
}

// reportFailed fails the outboxes of those requests, after their earlier
// tokens.
func (d *driver) reportFailed() {
	for _, r := range d.failed {
		s := r.User.(*requestRef)
		delete(d.live, r)
		d.met.end(endedError)
		s.out.fail(r.Err)
	}
	clear(d.failed)
	d.failed = d.failed[:0]
}

// notifyQueue reports the queue state to requests that asked for the truth.
// It sends "waiting" once the step that has just begun excludes the request,
// and "prefill" when the request is admitted.
func (d *driver) notifyQueue(e *engine.Engine, now time.Time) {
	left := d.unnotified[:0]
	for _, r := range d.unnotified {
		s := r.User.(*requestRef)
		switch {
		case r.Cancelled, r.Err != nil:
			continue
		case r.Admitted > 0:
			s.out.push(arrival{word: "prefill", due: now})
			continue
		case !s.waits && e.ServedQueue() && r.Ready <= e.Now():
			s.waits = true
			s.out.push(arrival{word: "waiting", due: now})
		}
		left = append(left, r)
	}
	clear(d.unnotified[len(left):])
	d.unnotified = left
}

func (d *driver) deliver(y engine.Emission, due time.Time, c *clock) {
	r, st := y.Request, y.Step
	s := r.User.(*requestRef)
	a := arrival{choice: s.choice, n: y.N, due: due, req: *r, step: stepTruth{
		number: st.Number, end: st.End, ms: (st.End - st.Start) * 1e3, decodes: st.Decodes,
		prefill: st.Prefilled, running: st.Running, waiting: st.Waiting,
	}}
	gap, first := 0.0, s.last == 0
	if first || r.Finished {
		a.times = phaseTimesOf(c, r)
	}
	if !first {
		gap = c.span(s.last, r.Last)
	}
	d.met.tokens(y, s, first, gap, a.times)
	s.last = r.Last
	d.truths.emitted(s.id, Emission{Step: st.Number, Due: due, End: st.End, Tokens: y.N, Choice: s.choice})
	if r.Finished {
		delete(d.live, r)
	}
	s.out.push(a)
}
