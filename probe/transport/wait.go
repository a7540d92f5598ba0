package transport

import (
	"time"

	"tokscope/metrics"
)

// wait is a time bound that is running.
type wait struct {
	since metrics.Stamp
	d     time.Duration
	bound *bound
}

// ends returns when the bound is passed.
func (w wait) ends() metrics.Stamp { return w.since + metrics.Stamp(w.d) }

// Deadline returns when the current wait times out, and the bound's name
// ("idle"). It returns NoStamp and "" if no bound is running.
func (c *Capture) Deadline() (metrics.Stamp, string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.waiting()
	if w.d <= 0 || !w.since.Known() {
		return metrics.NoStamp, ""
	}
	return w.ends(), w.bound.name
}

// Progressed says that at the given moment the server reported that many tokens of the
// prompt as read. If they are more than before, Bounds.FirstToken begins anew. The
// consumer of the lines calls it, because only a decoder knows.
func (c *Capture) Progressed(at metrics.Stamp, tokens int) {
	if t := &c.timing; tokens > t.processed {
		t.processed = tokens
		t.progressed.Store(int64(at))
	}
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

// Whole says that the answer is whole since the given moment, although no end marker
// has come, or with NoStamp that more is missing. A silence of Bounds.Whole, in which
// only what calls Whole again counts as sound, then ends the response well: at that
// moment, and with Connection.LeftOpen. So does the request's deadline. The consumer
// of the lines calls it, because only a decoder knows finish reasons.
func (c *Capture) Whole(since metrics.Stamp) {
	t := &c.timing
	if was := metrics.Stamp(t.whole.Swap(int64(since))); since.Known() && !was.Known() {
		c.rearm()
	}
}

// leaveOpen makes a whole answer complete, with the body still open. It returns
// false for an answer that is not whole.
func (c *Capture) leaveOpen() bool {
	t := &c.timing
	since := metrics.Stamp(t.whole.Load())
	if !since.Known() {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.completed.CompareAndSwap(int64(metrics.NoStamp), int64(since)) {
		t.bodyEnd = since
		c.change(func(s *RequestState) { s.Conn.LeftOpen = true })
	}
	return true
}

// CutOff makes a whole answer complete where the connection broke off behind it, and
// reports that. Call it when all lines are taken and Whole was told of them.
func (c *Capture) CutOff() bool {
	since := c.timing.whole.Load()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.brokeOff && metrics.Stamp(since).Known() &&
		c.timing.completed.CompareAndSwap(int64(metrics.NoStamp), since)
}

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

// lookAgain is the time between two looks at a silence that may end a whole answer.
const lookAgain = 50 * time.Millisecond

// silent reports whether a silence that has passed its bound was one. Where this
// program stood still, what came meanwhile is first read and taken. The caller holds mu.
func (c *Capture) silent() bool {
	switch {
	case !c.looked:
		c.looked = true
		return false
	case c.upTo == 0:
		c.upTo = c.queue.in.entries.Load()
	}
	return c.queue.out.entries.Load() >= c.upTo
}

// expire ends the request if its current wait has passed its bound.
func (c *Capture) expire() {
	c.mu.Lock()
	w := c.waiting()
	cancel := c.cancel
	expired := w.d > 0 && w.since.Known() && c.clock.Now() >= w.ends()
	again := false
	switch {
	case !expired:
	case w.bound == boundWhole:
		again = !c.silent()
	case c.clock.Now()-w.ends() > metrics.Stamp(lookAgain): // so late: this program stood still
		again, c.looked = !c.looked, true
	}
	if again {
		c.timer.Reset(lookAgain)
	}
	c.mu.Unlock()
	switch {
	case again:
	case !expired:
		c.looked, c.upTo = false, 0
		c.rearm()
	case cancel == nil:
	case w.bound == boundWhole:
		c.leaveOpen()
		cancel(errLinger)
	case w.bound == boundLinger:
		cancel(errLinger)
	default:
		cancel(w.bound.passed(w.d))
	}
}
