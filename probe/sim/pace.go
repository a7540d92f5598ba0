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
	Delayed time.Duration // the sum of these delays
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

// wait waits until engine time at. It returns its wall time and true, or
// false if the clock is paused or an order arrives during a long wait. Orders
// do not interrupt short waits. They keep their arrival time, so nothing is
// lost.
func (d *driver) wait(at float64) (due time.Time, ok bool) {
	for {
		d.mu.Lock()
		due = d.control.clock.wall(at)
		left := time.Until(due)
		if d.control.paused || left <= 0 {
			ok = !d.control.paused
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
	d.pace.Delayed += lag
	worse := lag > slipAt && lag > 2*d.pace.Waited
	d.pace.Waited = max(d.pace.Waited, lag)
	d.mu.Unlock()
	if worse {
		d.log.Warn("this machine cannot keep up with the model: chunks wait for the processor",
			"model", d.id, "for", lag.Round(time.Millisecond))
	}
}

// endStep records how late the end of a step is noticed. It sets the clock
// back if the delay is too long to catch up. It returns the wall time at
// which the step now ends. The caller holds mu.
func (d *driver) endStep(at float64, due, now time.Time) time.Time {
	d.pace.Steps++
	lag := now.Sub(due)
	if lag > 0 && now.Sub(d.control.speedChanged) < 2*exactWait {
		// The clock was sped up during a short wait, which nothing interrupts.
		// The clock stays at the step's end until now, and no delay counts.
		d.control.setBack(lag)
		return now
	}
	if lag > lateAt {
		d.pace.Late++
	}
	if lag <= slipAt {
		return due
	}
	d.control.setBack(lag)
	d.pace.Slipped += lag
	d.pace.Slips++
	// Log the first slip, then every power of two: the log stays readable.
	if pace := d.pace; pace.Slips&(pace.Slips-1) == 0 {
		d.log.Warn("this machine cannot keep up with the model: what is served is slower than planned",
			"model", d.id, "behind", pace.Slipped.Round(time.Millisecond), "times", pace.Slips)
	}
	return d.control.clock.wall(at)
}

// SleepExactly sleeps for a short time more exactly than the runtime does. It holds
// its thread meanwhile.
func SleepExactly(d time.Duration) {
	tightenTimer() // of the thread that sleeps
	sleepExactly(d)
}
