package sim

import "time"

// Pacing thresholds.
const (
	// Below it the rest of a wait is slept in the kernel on a thread of its
	// own; above it the runtime's timer sleeps first and leaves this much.
	exactWait = 3 * time.Millisecond
	// A step that ends later than this after its deadline shows that the
	// machine cannot keep up: the clock is set back by the delay, and the delay
	// is counted and reported instead of being caught up in a burst.
	slipAt = 100 * time.Millisecond
	// A step is late when its tokens leave the engine this long after the end
	// of the step.
	lateAt = 2 * time.Millisecond
)

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
func (p Pacing) Overloaded() bool { return p.Slips > 0 || p.Waited > slipAt }

// Lag is by how much, over all that was served so far.
func (p Pacing) Lag() time.Duration {
	if p.Waited > slipAt {
		return p.Slipped + p.Waited
	}
	return p.Slipped
}

// wait returns true and the moment when engine time at has come, or false as
// soon as an order came in during a long wait, or the clock stands still. Short
// waits are not cut short: an order keeps the moment it came, so nothing is
// lost.
func (d *driver) wait(at float64) (due time.Time, ok bool) {
	for {
		d.mu.Lock()
		due = d.clock.wall(at)
		left := time.Until(due)
		if d.paused || left <= 0 {
			ok = !d.paused
			if ok {
				due = d.endStep(at, due, due.Add(-left))
			}
			d.mu.Unlock()
			return due, ok
		}
		d.mu.Unlock()
		if left <= exactWait {
			d.sleep(left)
			continue
		}
		t := time.NewTimer(left - exactWait/2)
		select {
		case <-t.C:
		case <-d.wake:
			t.Stop()
			return due, false
		}
	}
}

// woken books when a writer that waited since idle gets at tokens that were due
// meanwhile. Tokens that were due before found it at work, or blocked by its
// client: that is not this machine's delay.
func (d *driver) recordDelay(idle, due, now time.Time) {
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
// when it cannot be caught up. It returns the moment at which the step ends now.
// The lock is held.
func (d *driver) endStep(at float64, due, now time.Time) time.Time {
	d.pace.Steps++
	lag := now.Sub(due)
	if lag > 0 && now.Sub(d.turned) < 2*exactWait {
		// The clock was made faster during a short wait, which is not cut short:
		// it stands at the step's end until now, and nobody is late.
		d.clock.origin = d.clock.origin.Add(lag)
		return now
	}
	if lag > lateAt {
		d.pace.Late++
	}
	if lag <= slipAt {
		return due
	}
	d.clock.origin = d.clock.origin.Add(lag)
	d.pace.Slipped += lag
	d.pace.Slips++
	// The first slip, then at every power of two: a log is no place for a comb.
	if pace := d.pace; pace.Slips&(pace.Slips-1) == 0 {
		d.log.Warn("this machine cannot keep up with the model: what is served is slower than planned",
			"model", d.id, "behind", pace.Slipped.Round(time.Millisecond), "times", pace.Slips)
	}
	return d.clock.wall(at)
}
