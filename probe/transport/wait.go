package transport

import (
	"time"

	"tokscope/metrics"
)

// wait is a time bound that is running.
type wait struct {
	since metrics.Stamp
	d     time.Duration
	name  string
}

// Deadline returns when the current wait times out, and the bound's name
// ("idle"). It returns NoStamp and "" if no bound is running.
func (c *Capture) Deadline() (metrics.Stamp, string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.waiting()
	if w.d <= 0 || !w.since.Known() {
		return metrics.NoStamp, ""
	}
	return w.since + metrics.Stamp(w.d), w.name
}

// waiting returns what the request waits for now. Under mu.
func (c *Capture) waiting() wait {
	b := &c.bounds
	m := &c.marks
	switch {
	case c.ended.Load():
		return wait{since: metrics.NoStamp}
	case !m.GotConn.Known():
		if c.dial == nil {
			return wait{since: metrics.NoStamp}
		}
		return c.dial.waiting(b)
	}
	if at := metrics.Stamp(c.doneMarker.Load()); at.Known() {
		return wait{at, b.Linger, boundLinger}
	}
	if at := metrics.Stamp(c.lastData.Load()); at.Known() {
		return wait{at, b.Idle, boundIdle}
	}
	sent := m.Sent
	if !c.frozen {
		sent = c.sent()
	}
	if !sent.Known() {
		sent = m.GotConn
	}
	if m.FirstByte.Known() {
		return wait{sent, b.FirstByte, boundFirstData}
	}
	return wait{sent, b.FirstByte, boundFirstByte}
}

// rearm sets the timer to the end of the current wait. Call it when a wait
// begins that may end before the previous one. Data that only extends a
// deadline needs no call, because expire checks again.
func (c *Capture) rearm() {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.waiting()
	if w.d <= 0 || !w.since.Known() {
		return
	}
	left := w.d - time.Duration(c.clock.Now()-w.since)
	if c.timer == nil {
		c.timer = time.AfterFunc(left, c.expire)
		return
	}
	c.timer.Reset(left)
}

// expire ends the request if its current wait has passed its bound.
func (c *Capture) expire() {
	c.mu.Lock()
	w := c.waiting()
	cancel := c.cancel
	expired := w.d > 0 && w.since.Known() && c.clock.Now() >= w.since+metrics.Stamp(w.d)
	c.mu.Unlock()
	switch {
	case !expired:
		c.rearm()
	case cancel == nil:
	case w.name == boundLinger:
		cancel(errLinger)
	default:
		cancel(passed(w.name, w.d))
	}
}
