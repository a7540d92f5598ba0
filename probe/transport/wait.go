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

// TokensCame ends the wait for the first token: from now on the idle bound
// applies. The consumer of the lines calls it, because only a decoder knows a
// token. Further calls are cheap and do nothing.
func (c *Capture) TokensCame() {
	if !c.timing.tokensCame.Load() && c.timing.tokensCame.CompareAndSwap(false, true) {
		c.rearm()
	}
}

// Complete says that the answer is whole: its end marker arrived at the given
// moment. From there on the server has Bounds.Linger to end the body. The response
// then ends well, also if the connection breaks off. The consumer of the lines
// calls it, because only a decoder knows an end marker. It may do so after the end
// of the response, before it calls End. Further calls are cheap and do nothing.
func (c *Capture) Complete(at metrics.Stamp) {
	if t := &c.timing; t.completed.CompareAndSwap(int64(metrics.NoStamp), int64(at)) {
		c.rearm()
	}
}

// isComplete reports whether the answer is whole.
func (c *Capture) isComplete() bool { return metrics.Stamp(c.timing.completed.Load()).Known() }

// waiting returns the request's current wait. The caller holds mu.
func (c *Capture) waiting() wait {
	if c.ended.Load() {
		return wait{since: metrics.NoStamp}
	}
	return c.timing.waiting(&c.bounds)
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
