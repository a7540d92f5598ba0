package sim

import (
	"time"

	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// What a lab can do with its driver. The clock belongs to the lock.

// setSpeed changes the speed at once. The lock is held.
func (k *driver) setSpeed(x float64) {
	if x == k.speed {
		return
	}
	k.speed = x
	if !k.paused {
		k.apply(x)
	}
}

// pause stops the clock where it is, or lets it go on.
func (d *driver) pause(on bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if on == d.paused {
		return
	}
	d.paused = on
	if on {
		d.apply(0)
	} else {
		d.singles = 0
		d.apply(d.speed)
	}
	d.nudge()
}

// turn changes the speed of the clock. The lock is held.
func (k *driver) apply(speed float64) {
	now := time.Now()
	k.clock.setSpeed(now, k.clock.limited(now, k.next), speed)
	k.turned = now
}

// time is the engine's time now. It waits for a step that is late to end.
func (d *driver) time() float64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shown = max(d.shown, d.clock.limited(time.Now(), d.next))
	return d.shown
}

// currentSetup returns the setup that requests are planned for.
func (d *driver) currentSetup() *physics.Setup {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.setup
}

// single lets one step end while the clock stands still, and moves the clock
// there. Before it, requests may leave the front end and a step may begin.
func (d *driver) stepOnce(e *engine.Engine) {
	for ended := d.ended; d.ended == ended; {
		at, busy := e.Next()
		if !busy {
			return
		}
		now := time.Now()
		d.mu.Lock()
		on := d.paused && !d.closed
		if on {
			d.clock.setSpeed(now, max(at, d.clock.base), 0)
			d.pace.Steps++
		}
		d.mu.Unlock()
		if !on {
			return
		}
		d.advance(e, at, now)
	}
}

// report tells the observer of a step. It runs on the engine's goroutine.
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
	d.mu.Lock()
	r.Speed, r.Paused = d.speed, d.paused
	if begun {
		r.Due = d.clock.wall(st.End)
	}
	d.mu.Unlock()
	d.states = d.engine.Batch(d.states[:0])
	clear(r.Batch)
	r.Batch, r.Queue = r.Batch[:0], 0
	for _, q := range d.states {
		s := q.Request.User.(*requestRef)
		r.Batch = append(r.Batch, SteeredRequest{RequestState: q, RequestID: s.id, Choice: s.choice})
		if q.Phase == engine.PhaseWaiting || q.Phase == engine.PhasePreempted || q.Phase == engine.PhaseArriving {
			r.Queue++
		}
	}
	(*f)(r)
}
