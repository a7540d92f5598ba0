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

// driver runs one engine against the wall clock. Its goroutine owns the engine.
type driver struct {
	id        string
	maxQueued int // requests that may wait

	mu       sync.Mutex
	setup    *physics.Setup // what requests are planned for; only a lab's changes
	noPrefix bool           // new requests share no prompt
	inbox    []order
	incoming int // requests in the inbox, cancellations not counted
	closed   bool
	pace     Pacing
	stats    engine.Stats
	clock    clock
	speed    float64   // of the clock when it is not paused
	turned   time.Time // when the clock's speed was changed last
	next     float64   // engine time of what comes next, else never
	shown    float64   // the latest engine time that was told
	paused   bool
	singles  int // steps that shall end although it is paused

	wake chan struct{} // capacity 1
	done chan struct{}
	// Of the engine's goroutine:
	engine     *engine.Engine
	live       map[*engine.Request]*outbox
	unnotified []*engine.Request // who is still to be told that it waits or is being prefilled
	failed     []*engine.Request // whom a change of the engine ended
	due        time.Time         // the wall moment of what is happening
	ended      uint64            // steps, counted on a lab only
	rep        StepReport        // with its buffers
	states     []engine.RequestState

	observer atomic.Pointer[func(*StepReport)]
	truths   *truths // nil but on a lab
	met      *meters
	log      *slog.Logger
	sleep    func(time.Duration) // sleeps for a short time, sharply
}

// order is a submitted or cancelled request, or a change of the engine.
type order struct {
	at     time.Time
	req    *engine.Request
	cancel bool
	config *engine.Config
}

// newDriver makes a driver without an engine, whose clock begins now.
func newDriver(id string, speed float64, log *slog.Logger) *driver {
	return &driver{id: id, wake: make(chan struct{}, 1), done: make(chan struct{}), live: map[*engine.Request]*outbox{},
		clock: newClock(speed), speed: speed, next: never, met: newMeters(), log: log, sleep: sleepExactly}
}

// start makes the engine and runs it.
func (d *driver) start(o engine.Options) {
	o.OnFail = d.fail
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
	d.nudge()
	return nil
}

// cancel removes requests, finished or not.
func (d *driver) cancel(reqs []*engine.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range reqs {
		d.inbox = append(d.inbox, order{req: r, cancel: true})
	}
	d.nudge()
}

// close stops the engine and waits for its goroutine. Open requests fail with
// errClosed.
func (d *driver) close() {
	d.mu.Lock()
	d.closed = true
	d.nudge()
	d.mu.Unlock()
	<-d.done
}

// inUse reports whether the engine has requests, running or waiting.
func (d *driver) inUse() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.inbox) > 0 || d.stats.Running > 0 || d.stats.Queued > 0
}

func (d *driver) nudge() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
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
	counters uint64
}

func (d *driver) view() view {
	d.met.mu.Lock()
	c := d.met.ended
	d.met.mu.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	return view{d.stats, d.pace, c}
}

func (d *driver) run(e *engine.Engine) {
	defer close(d.done)
	// The thread stays with this goroutine, and goes with it: its timer slack
	// is changed, and short waits block it.
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
		if d.next = at; !busy {
			d.next = never
		}
		closed, paused, single := d.closed, d.paused, d.paused && d.singles > 0
		if single {
			d.singles--
		}
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
			if due, ok := d.wait(at); ok { // else something came in meanwhile
				d.advance(e, at, due)
			}
		}
	}
}

// advance lets happen what is due at engine time at, wall moment due.
func (d *driver) advance(e *engine.Engine, at float64, due time.Time) {
	d.due = due
	yield := e.Advance(at)
	d.mu.Lock()
	d.stats = e.Stats() // before a client can have seen the tokens
	c := d.clock        // what it remembers is only ever added to
	d.mu.Unlock()
	d.notifyQueue(e, due)
	for _, y := range yield {
		d.deliver(y, due, &c)
	}
}

// obey carries out an order. The lock is held.
func (d *driver) carryOut(e *engine.Engine, o order) {
	switch {
	case o.config != nil:
		e.Reconfigure(*o.config)
		return
	case o.cancel:
		e.Cancel(o.req)
		delete(d.live, o.req)
		return
	}
	s := o.req.User.(*requestRef)
	if err := e.Submit(max(d.clock.engine(o.at), 0), o.req); err != nil {
		s.out.fail(err)
		return
	}
	d.live[o.req] = s.out
	d.truths.arrived(s.id, o.req, o.at)
	if s.truth {
		d.unnotified = append(d.unnotified, o.req)
	}
}

// fail records a request that a change of the engine ended.
func (d *driver) fail(r *engine.Request) { d.failed = append(d.failed, r) }

// giveUp tells their clients, once the tokens before are on their way.
func (d *driver) reportFailed() {
	for _, r := range d.failed {
		s := r.User.(*requestRef)
		delete(d.live, r)
		d.truths.failed(s.id, r.Err)
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
		number: st.Number, end: st.End, ms: (st.End - st.Start) * 1e3, decodes: st.Decodes, prefill: st.Prefilled, running: st.Running, waiting: st.Waiting,
	}}
	gap, first := 0.0, s.last == 0
	if first || r.Finished {
		a.times = phaseTimesOf(c, r)
	}
	if !first {
		gap = c.span(s.last, r.Last)
	}
	d.met.tokens(y, first, gap, a.times)
	s.last = r.Last
	d.truths.emitted(s.id, Emission{Step: st.Number, Due: due, End: st.End, Tokens: y.N, Choice: s.choice})
	if r.Finished {
		delete(d.live, r)
	}
	s.out.push(a)
}
