package sim

import "time"

// Pacing thresholds.
const (
	// exactWait is the longest wait slept in the kernel, on the driver's own
	// thread. A longer wait first uses the runtime's timer and leaves half of
	// this.
	exactWait = 3 * time.Millisecond
	// slipAt is the delay of a step from which the machine counts as too slow.
	// The clock is then set back by the delay. The delay is counted and
	// reported, instead of being caught up in a burst.
	slipAt = 100 * time.Millisecond
	// lateAt is the delay after a step's end from which its tokens count as
	// late.
	lateAt = 2 * time.Millisecond
)

// Pacing describes how well the wall clock followed the engine's clock.
type Pacing struct {
	Steps   uint64        // steps that ended
	Late    uint64        // of these, delivered more than 2 ms late
	Slipped time.Duration // total time by which the engine was set back because the machine was too slow
	Slips   uint64        // number of such setbacks
	Tardy   uint64        // chunks whose writer ran more than 2 ms after the step's end
	Waited  time.Duration // the longest of these delays
}

// Overloaded reports whether the machine was too slow for the model.
func (p Pacing) Overloaded() bool { return p.Slips > 0 || p.Waited > slipAt }

// Lag returns the total delay so far.
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

// recordDelay records the delay of a writer that was idle since idle and gets
// tokens due meanwhile. Tokens due earlier do not count: the writer was busy,
// or blocked by its client, which is not this machine's delay.
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
