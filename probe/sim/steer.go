package sim

import (
	"time"

	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// Methods of driver for a steered engine.

// pause stops the clock or resumes it.
func (d *driver) pause(on bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.control.pause(on) {
		d.nudge()
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
	r.Step, r.Begun, r.Due = st, begun, d.due
	if begun {
		d.mu.Lock()
		r.Due = d.control.clock.wall(st.End)
		d.mu.Unlock()
	}
	d.states = d.engine.Batch(d.states[:0])
	clear(r.Batch)
	r.Batch = r.Batch[:0]
	for _, q := range d.states {
		s := q.Request.User.(*requestRef)
		r.Batch = append(r.Batch, SteeredRequest{RequestState: q, RequestID: s.id})
	}
	(*f)(r)
}
