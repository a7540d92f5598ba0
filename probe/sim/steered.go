package sim

import (
	"cmp"
	"fmt"
	"time"

	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// SteeredModel is the model id of the steered engine.
const SteeredModel = "lab"

// SteeredConfig configures the steered engine.
type SteeredConfig struct {
	engine.Config
	PrefixCache bool // applies to later requests
	// Speed is engine seconds per wall second, 0.001 to 1000. 0 keeps the
	// current speed, which is 1 at the start.
	Speed float64
}

func (c *SteeredConfig) check() error {
	switch {
	case c.Setup == nil:
		return fmt.Errorf("the Explain screen needs a model on hardware")
	case c.Mode > engine.Disaggregated:
		return fmt.Errorf("no batching mode %d", c.Mode)
	case c.Budget < 0:
		return fmt.Errorf("a step of %d tokens", c.Budget)
	case c.Speed != 0:
		return checkSpeed(c.Speed)
	}
	return nil
}

func checkSpeed(x float64) error {
	if !(x >= minSpeed && x <= maxSpeed) {
		return fmt.Errorf("speed %v: between %v and %v", x, minSpeed, maxSpeed)
	}
	return nil
}

// Steered is an engine of the server that can be steered and watched while it
// serves the model "lab". It is never unloaded. Its methods are safe for
// concurrent use and return at once.
type Steered struct {
	s *Server
	d *driver
}

// Steered starts the steered engine on the first call. Later calls return the
// same engine and ignore c.
func (s *Server) Steered(c SteeredConfig) (*Steered, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.running(SteeredModel); d != nil {
		return &Steered{s, d}, nil
	}
	if s.closed || s.closing {
		return nil, errClosed
	}
	speed := cmp.Or(c.Speed, 1)
	o := engine.Options{Config: c.Config, Seed: s.o.Seed, MaxQueue: s.o.MaxQueue}
	d := newDriver(SteeredModel, speed, &s.o)
	d.truths, d.noPrefix = newTruths(), !c.PrefixCache
	o.OnStep = func(st *engine.Step) { d.report(st, false) }
	o.OnPlan = func(st *engine.Step) { d.report(st, true) }
	s.launch(d, o)
	return &Steered{s, d}, nil
}

// Configure changes how the engine works from its next step on, and its speed
// at once. engine.Reconfigure says what happens to running requests. Requests
// that no longer fit fail with an error to their client.
func (l *Steered) Configure(c SteeredConfig) error {
	if err := c.check(); err != nil {
		return err
	}
	d := l.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return errClosed
	}
	d.setup, d.noPrefix = c.Setup, !c.PrefixCache
	d.inbox = append(d.inbox, order{config: &c.Config})
	if c.Speed != 0 {
		d.control.setSpeed(c.Speed)
	}
	d.wake.set()
	return nil
}

// SetSpeed sets the engine seconds per wall second, 0.001 to 1000. It applies
// at once, also in the middle of a step. Engine time does not jump. On a
// paused engine it applies after the pause.
func (l *Steered) SetSpeed(x float64) error {
	if err := checkSpeed(x); err != nil {
		return err
	}
	d := l.d
	d.mu.Lock()
	defer d.mu.Unlock()
	d.control.setSpeed(x)
	d.wake.set()
	return nil
}

// Pause stops the engine's clock or resumes it. Requests sent during a pause
// arrive at the time at which the clock stopped. They can be cancelled, and
// the engine can be changed. A step whose end was due may still end.
// Pause(true) does nothing on a server that is closing.
func (l *Steered) Pause(on bool) {
	l.s.mu.Lock() // or Close might just have ended the pause
	defer l.s.mu.Unlock()
	l.d.pause(on && !l.s.closing)
}

// Step pauses the engine, if necessary, and runs exactly one more step.
// Engine time moves to the step's end at once, and its tokens are sent.
// Without requests, Step only pauses.
func (l *Steered) Step() {
	l.Pause(true)
	d := l.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.control.paused {
		d.control.singles++
		d.wake.set()
	}
}

// Skip moves engine time forward to a moment, in seconds, at once. Events due
// until then happen now and do not count as late. Skip does nothing if that
// moment has passed. On a paused engine the events happen after the pause.
func (l *Steered) Skip(to float64) {
	d := l.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.control.skip(to) {
		d.wake.set()
	}
}

// Clock returns the engine time in seconds, interpolated between steps. It
// never goes back.
func (l *Steered) Clock() float64 {
	l.d.mu.Lock()
	defer l.d.mu.Unlock()
	return l.d.control.now()
}

// Speed returns the latest speed of SetSpeed or Configure, also while paused.
func (l *Steered) Speed() float64 {
	l.d.mu.Lock()
	defer l.d.mu.Unlock()
	return l.d.control.speed
}

// Pacing returns how well the wall clock follows the engine's. Pauses and
// slow motion do not count as late.
func (l *Steered) Pacing() Pacing { return l.d.pacing() }

// Observe sets the observer of every step. It is called on the engine's
// goroutine when a step has been planned (Begun), and at its end before its
// tokens are sent. It must not block. It may call Clock, Speed and Of.
// nil removes the observer.
func (l *Steered) Observe(f func(*StepReport)) {
	if f == nil {
		l.d.observer.Store(nil)
		return
	}
	l.d.observer.Store(&f)
}

// StepReport describes one step of the steered engine. It is valid only
// during the call.
type StepReport struct {
	Step *engine.Step
	// Begun reports that the step begins. Its End is known, its Tokens are not.
	Begun bool
	// Batch holds every request, in its state after the step, or at the
	// beginning of a begun step. See engine.Batch for the order.
	Batch []SteeredRequest
}

// SteeredRequest is a request in a report.
type SteeredRequest struct {
	engine.RequestState
	RequestID string // of the HTTP request, as in its x-request-id header
}

// Of returns the engine's record of an HTTP request by the id of its answer.
// ok is false for unknown and forgotten ids. The last 4096 requests are kept,
// fewer if they are very long.
func (l *Steered) Of(requestID string) (RequestTruth, bool) { return l.d.truths.of(requestID) }

// Methods of driver for a steered engine.

// pause stops the clock or resumes it.
func (d *driver) pause(on bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.control.pause(on) {
		d.wake.set()
	}
}

// currentSetup returns the setup that requests are planned for.
func (d *driver) currentSetup() *physics.Setup {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.setup
}

// stepOnce runs one step while the clock is paused and moves the clock to its
// end. Before that, requests may leave the front end and a step may begin.
func (d *driver) stepOnce(e *engine.Engine) {
	for ended := d.ended; d.ended == ended; {
		at, busy := e.Next()
		if !busy {
			return
		}
		now := time.Now()
		d.mu.Lock()
		on := d.control.paused && !d.closed
		if on {
			d.control.clock.setSpeed(now, max(at, d.control.clock.base), 0) // the stopped clock moves there
			d.pace.Steps++
		}
		d.mu.Unlock()
		if !on {
			return
		}
		d.advance(e, at, now)
	}
}

// report passes a step to the observer. It runs on the engine's goroutine.
func (d *driver) report(st *engine.Step, begun bool) {
	if !begun {
		d.ended++
	}
	f := d.observer.Load()
	if f == nil {
		return
	}
	r := &d.rep
	r.Step, r.Begun = st, begun
	d.states = d.engine.Batch(d.states[:0])
	clear(r.Batch)
	r.Batch = r.Batch[:0]
	for _, q := range d.states {
		s := q.Request.User.(*requestRef)
		r.Batch = append(r.Batch, SteeredRequest{RequestState: q, RequestID: s.id})
	}
	(*f)(r)
}
