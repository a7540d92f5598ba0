package sim

import (
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// Pacing thresholds.
const (
	// Below it the rest of a wait is slept in the kernel on a thread of its
	// own; above it the runtime's timer sleeps first and leaves this much.
	sharpWait = 3 * time.Millisecond
	// A step that ends later than this after its deadline shows that the
	// machine cannot keep up: the clock is set back by the delay, and the delay
	// is counted and reported instead of being caught up in a burst.
	slipAt = 100 * time.Millisecond
	// A step is late when its tokens leave the engine this long after the end
	// of the step.
	lateAt = 2 * time.Millisecond
)

var errClosed = errors.New("the server is shutting down")

// driver runs one engine against the wall clock. Its goroutine owns the engine.
type driver struct {
	id    string
	setup *physics.Setup
	most  int // requests that may wait

	mu     sync.Mutex
	inbox  []order
	coming int // requests in the inbox, cancellations not counted
	closed bool
	pace   Pacing
	stats  engine.Stats

	wake chan struct{} // capacity 1
	done chan struct{}
	// Of the engine's goroutine: who is still to be told that it waits or is
	// being prefilled.
	untold []*engine.Request
	met    *meters
	log    *slog.Logger
	nap    func(time.Duration) // sleeps for a short time, sharply
}

// order is a request handed in or taken back.
type order struct {
	at     time.Time
	req    *engine.Request
	cancel bool
}

// Pacing says how well the wall clock followed the engine's.
type Pacing struct {
	Steps   uint64        // steps that ended
	Late    uint64        // of these, handed over more than 2 ms late
	Slipped time.Duration // time by which the engine was set back because the machine could not keep up
	Slips   uint64        // how often
	Tardy   uint64        // chunks whose writer got the processor more than 2 ms after the step's end
	Waited  time.Duration // the longest of these delays
}

// Behind reports whether the machine could not keep up with the model.
func (p Pacing) Behind() bool { return p.Slips > 0 || p.Waited > slipAt }

// Lag is by how much, over all that was served so far.
func (p Pacing) Lag() time.Duration {
	if p.Waited > slipAt {
		return p.Slipped + p.Waited
	}
	return p.Slipped
}

func newDriver(id string, e *engine.Engine, speed float64, log *slog.Logger) *driver {
	return &driver{id: id, setup: e.Setup(), most: e.MaxQueue(), wake: make(chan struct{}, 1), done: make(chan struct{}), met: newMeters(speed), log: log, nap: nap}
}

func startDriver(id string, e *engine.Engine, speed float64, log *slog.Logger) *driver {
	d := newDriver(id, e, speed, log)
	go d.run(e, clock{time.Now(), speed})
	return d
}

// submit hands in requests that arrived now. The error is errClosed or
// engine.ErrQueueFull.
func (d *driver) submit(reqs []*engine.Request) error {
	now := time.Now()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return errClosed
	}
	if len(reqs)+d.coming+d.stats.Queued > d.most {
		return engine.ErrQueueFull
	}
	for _, r := range reqs {
		d.inbox = append(d.inbox, order{at: now, req: r})
	}
	d.coming += len(reqs)
	d.nudge()
	return nil
}

// cancel takes requests back, finished or not.
func (d *driver) cancel(reqs []*engine.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range reqs {
		d.inbox = append(d.inbox, order{req: r, cancel: true})
	}
	d.nudge()
}

// close stops the engine and waits until it has stopped. Every flight that is
// still under way fails.
func (d *driver) close() {
	d.mu.Lock()
	d.closed = true
	d.nudge()
	d.mu.Unlock()
	<-d.done
}

// inUse reports whether anything is under way or about to be.
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

// pacing reports how well the clock was held so far.
func (d *driver) pacing() Pacing {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.pace
}

// view is the state of an engine at the end of its last step.
type view struct {
	stats engine.Stats
	pace  Pacing
	ended uint64
}

func (d *driver) view() view {
	d.met.mu.Lock()
	ended := d.met.ended
	d.met.mu.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	return view{d.stats, d.pace, ended}
}

func (d *driver) run(e *engine.Engine, c clock) {
	defer close(d.done)
	// The thread stays with this goroutine, and goes with it: its timer slack
	// is changed, and short waits block it.
	runtime.LockOSThread()
	sharpen()
	live := map[*engine.Request]*flight{}
	for {
		d.mu.Lock()
		for _, o := range d.inbox {
			d.obey(e, &c, o, live)
		}
		clear(d.inbox)
		d.inbox, d.coming = d.inbox[:0], 0
		d.stats = e.Stats()
		closed := d.closed
		d.mu.Unlock()
		if closed {
			for _, f := range live {
				f.fail(errClosed)
			}
			return
		}
		at, busy := e.Next()
		if !busy {
			<-d.wake
			continue
		}
		if !d.wait(c.wall(at)) {
			continue // something came in meanwhile
		}
		d.settle(&c, at)
		due := c.wall(at)
		yield := e.Advance(at)
		d.mu.Lock()
		d.stats = e.Stats() // before a client can have seen the tokens
		d.mu.Unlock()
		d.tell(e, due)
		for _, y := range yield {
			d.deliver(y, due, live)
		}
	}
}

func (d *driver) obey(e *engine.Engine, c *clock, o order, live map[*engine.Request]*flight) {
	if o.cancel {
		e.Cancel(o.req)
		delete(live, o.req)
		return
	}
	s := o.req.User.(*seat)
	if err := e.Submit(max(c.engine(o.at), 0), o.req); err != nil {
		s.flight.fail(err)
		return
	}
	live[o.req] = s.flight
	if s.truth {
		d.untold = append(d.untold, o.req)
	}
}

// tell says to those who asked for the truth where they stand before their
// first token: waiting, once it is certain that the step that has just begun
// leaves them out, and prefill when they are admitted.
func (d *driver) tell(e *engine.Engine, now time.Time) {
	left := d.untold[:0]
	for _, r := range d.untold {
		s := r.User.(*seat)
		switch {
		case r.Cancelled:
			continue
		case r.Admitted > 0:
			s.flight.push(arrival{word: "prefill", due: now})
			continue
		case !s.waits && e.Took() && r.Ready <= e.Now():
			s.waits = true
			s.flight.push(arrival{word: "waiting", due: now})
		}
		left = append(left, r)
	}
	clear(d.untold[len(left):])
	d.untold = left
}

func (d *driver) deliver(y engine.Emission, due time.Time, live map[*engine.Request]*flight) {
	s := y.Request.User.(*seat)
	st := y.Step
	d.met.tokens(y, s.last)
	s.last = y.Request.Last
	s.flight.push(arrival{choice: s.choice, n: y.N, due: due, req: *y.Request, step: stepTruth{
		number: st.Number, end: st.End, ms: (st.End - st.Start) * 1e3, decodes: st.Decodes, prefill: st.Prefilled, running: st.Running, waiting: st.Waiting,
	}})
	if y.Request.Finished {
		delete(live, y.Request)
	}
}

// wait returns true at deadline, or false as soon as an order came in during
// a long wait. Short waits are not cut short: an order keeps the moment it
// came, so nothing is lost.
func (d *driver) wait(deadline time.Time) bool {
	for {
		left := time.Until(deadline)
		if left <= 0 {
			return true
		}
		if left <= sharpWait {
			d.nap(left)
			continue
		}
		t := time.NewTimer(left - sharpWait/2)
		select {
		case <-t.C:
		case <-d.wake:
			t.Stop()
			return false
		}
	}
}

// woken books when a writer that waited since idle gets at tokens that were due
// meanwhile. Tokens that were due before found it at work, or blocked by its
// client: that is not this machine's delay.
func (d *driver) woken(idle, due, now time.Time) {
	lag := now.Sub(due)
	if lag <= lateAt || due.Before(idle) {
		return
	}
	d.mu.Lock()
	d.pace.Tardy++
	worse := lag > slipAt && lag > 2*d.pace.Waited
	d.pace.Waited = max(d.pace.Waited, lag)
	d.mu.Unlock()
	if worse {
		d.log.Warn("this machine cannot keep up with the model: chunks wait for the processor", "model", d.id, "for", lag.Round(time.Millisecond))
	}
}

// settle books how late the end of a step is noticed, and sets the clock back
// when it cannot be caught up.
func (d *driver) settle(c *clock, at float64) {
	lag := time.Since(c.wall(at))
	d.mu.Lock()
	d.pace.Steps++
	if lag > lateAt {
		d.pace.Late++
	}
	slipped := lag > slipAt
	if slipped {
		c.origin = c.origin.Add(lag)
		d.pace.Slipped += lag
		d.pace.Slips++
	}
	pace := d.pace
	d.mu.Unlock()
	// The first slip, then at every power of two: a log is no place for a comb.
	if slipped && pace.Slips&(pace.Slips-1) == 0 {
		d.log.Warn("this machine cannot keep up with the model: what is served is slower than planned",
			"model", d.id, "behind", pace.Slipped.Round(time.Millisecond), "times", pace.Slips)
	}
}
