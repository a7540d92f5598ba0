package loadgen

import (
	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/turn"
)

// user sends requests one after the other. It belongs to the pool; the load's
// mutex guards it.
type user struct {
	id        int
	wake      chan struct{} // capacity 1
	stream    stream        // running or last
	streamID  int           // of stream; 0 without one
	busy      bool          // a request is running or starting
	begun     bool          // stream belongs to the running request; else still to the last one
	stopped   bool          // cancel the starting request at once
	leaving   bool
	looping   bool          // the goroutine of a closed loop exists
	renewed   bool          // its request is withdrawn, see Renew
	again     metrics.Stamp // when the next one begins, while renewed
	fresh     bool          // has not begun any request
	warm      bool          // had a first chunk or ended a request since it joined or the last hold
	state     loadstat.LaneState
	since     metrics.Stamp
	notBefore metrics.Stamp // of the next request
	failures  int           // in a row
	done      int
	epoch     int           // of the running or last request, see steering
	account   *account      // that pays for it
	reserved  float64       // tokens reserved for the running request
	prompt    float64       // expected tokens of its prompt, before the ratio of the budget
	left      bool          // it is sent, as of the last look
	intended  metrics.Stamp // scheduled time of the running request
	sent      metrics.Stamp // when it was begun; NoStamp while it is starting
	lane      lane
	play      turn.Play // of a closed loop with a Script
}

// newUser returns a user without requests. slice is the number of the first
// slice of its lane.
func newUser(id int, now metrics.Stamp, slice int) *user {
	u := &user{id: id, wake: make(chan struct{}, 1), since: now, state: loadstat.LaneIdle, fresh: true}
	u.lane.reset()
	u.lane.slice, u.lane.offset = slice, slice
	return u
}

// poke wakes the user to check for changes.
func (u *user) poke() { signal(u.wake) }

// running returns the stream of the running request; nil without one, and
// while it is starting.
func (u *user) running() stream {
	if u.busy && u.begun {
		return u.stream
	}
	return nil
}

// heard reports whether a byte of the answer to the running request has come.
func (u *user) heard() bool {
	s := u.running()
	return s != nil && s.Snapshot().Marks.FirstByte.Known()
}

// reserve prepares u for a request that may use that many tokens.
func (u *user) reserve(tokens float64) {
	u.reserved = tokens
	u.busy, u.begun, u.stopped, u.left = true, false, false, false
	u.fresh, u.intended, u.sent = false, metrics.NoStamp, metrics.NoStamp
	u.lane.reset()
}

// use returns what the running request has used so far.
func (u *user) use() use {
	out := use{output: u.lane.tokens}
	if u.left {
		out.prompt = u.prompt
	}
	return out
}

// sending sets the stream of the starting request.
func (u *user) sending(s stream, now metrics.Stamp) {
	u.stream, u.streamID, u.begun, u.sent = s, s.ID(), true, now
	if u.renewed || u.stopped {
		s.Cancel() // withdrawn before it had begun
	}
	u.enter(loadstat.LaneConnecting, now)
}

// stop cancels the running or starting request.
func (u *user) stop() {
	if s := u.running(); s != nil {
		s.Cancel()
	}
	u.stopped = true
}

// enter changes the state.
func (u *user) enter(s loadstat.LaneState, now metrics.Stamp) {
	if u.state != s {
		u.state, u.since = s, now
	}
}

// draw makes n show u as it is now.
func (u *user) draw(n *loadstat.Lane) {
	*n = loadstat.Lane{User: u.id, State: u.state, Since: u.since, Stream: u.streamID,
		Gap: u.lane.gap, Done: u.done, Leaving: u.leaving}
	if u.leaving {
		n.State = loadstat.LaneLeaving
	}
	n.Past, n.Offset = u.lane.shown()
}

// signal wakes the goroutine that waits for c, a channel of capacity 1.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
