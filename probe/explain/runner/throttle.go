package runner

import "time"

// Limits of the throttle.
const (
	// judgedOver is the span of one judgment. A single hiccup of the machine is
	// short beside it.
	judgedOver = time.Second
	// settleFor is ignored after each change: what is late still drains.
	settleFor = 500 * time.Millisecond
	// leastPresent is the share of the time that a user should spend in the
	// engine. Below it, the engine is served fewer users than the knobs say.
	leastPresent = 0.9
	// mostSlip is the share of the wall time by which the clock may be set back.
	mostSlip = 0.1
	// mostDelay bounds the mean delay of late chunks, where they are at least
	// manyLate of all chunks. It is a fifth of what a reader notices.
	mostDelay = 50 * time.Millisecond
	manyLate  = 0.1
	// leastFactor bounds the slowdown: slower would look like a pause.
	leastFactor = 0.05
	// slower and muchSlower are the two sizes of a slowdown; muchSlower follows
	// where the machine did less than enoughDone of its work.
	slower, muchSlower = 0.75, 0.5
	enoughDone         = 0.6
	// faster is the size of an attempt to speed up again, after calmFor without
	// lateness.
	faster  = 1.25
	calmFor = 5 * time.Second
	// After a failure the clock is not sped up for retryAfter. Each attempt that
	// fails doubles it, up to retryMost.
	retryAfter = 10 * time.Second
	retryMost  = 2 * time.Minute
)

// throttle decides how fast the engine's clock runs: at the speed of the time
// knob, or slower while this machine cannot keep up with it. It has no clock
// and no lock.
type throttle struct {
	factor float64       // of the knob's speed, leastFactor to 1
	span   lateness      // since the latest judgment
	rest   time.Duration // still to be ignored
	calm   time.Duration // without lateness, since the latest change
	before float64       // the factor before an attempt to speed up; 0: no attempt
	since  time.Duration // since the latest failure
	retry  time.Duration // how long the clock is not sped up after it
	// overloaded reports that the latest judgment found the machine behind.
	overloaded bool
}

// lateness is how far this machine fell behind the engine in a span.
type lateness struct {
	wall    time.Duration // the span
	due     float64       // users that should be in the engine, times seconds of engine time
	present float64       // users that were, times seconds of engine time
	slipped time.Duration // the clock was set back by
	chunks  int           // chunks made
	late    int           // of these, delivered late
	delay   time.Duration // the sum of their delays
}

func (s *lateness) add(l lateness) {
	s.wall += l.wall
	s.due += l.due
	s.present += l.present
	s.slipped += l.slipped
	s.chunks += l.chunks
	s.late += l.late
	s.delay += l.delay
}

// done is the share of the work that the machine did in the span: the lowest
// of the users' presence and of the clock's progress. It is 1 without work.
func (s *lateness) done() float64 {
	share := 1.0
	if s.due > 0 {
		share = min(share, s.present/s.due)
	}
	if s.wall > 0 {
		share = min(share, 1-float64(s.slipped)/float64(s.wall))
	}
	return max(share, 0)
}

// tooLate reports whether the machine did not keep up in the span.
func (s *lateness) tooLate() bool {
	switch {
	case s.due > 0 && s.present < leastPresent*s.due:
		return true
	case float64(s.slipped) > mostSlip*float64(s.wall):
		return true
	}
	return float64(s.late) > manyLate*float64(s.chunks) && s.delay > time.Duration(s.late)*mostDelay
}

// newThrottle returns a throttle at full speed.
func newThrottle() throttle { return throttle{factor: 1, rest: settleFor, retry: retryAfter} }

// verdict is what a look means for the clock.
type verdict uint8

const (
	keeps verdict = iota
	slowsDown
	speedsUp
)

// look takes the lateness since the previous look, and changes the factor when
// it says so.
func (t *throttle) look(l lateness) verdict {
	t.since += l.wall
	if t.rest > 0 {
		t.rest -= l.wall
		return keeps
	}
	t.span.add(l)
	if t.span.wall < judgedOver {
		return keeps
	}
	span := t.span
	t.span = lateness{}
	t.overloaded = span.tooLate()
	if t.overloaded {
		t.calm = 0
		if t.factor <= leastFactor {
			return keeps
		}
		by := slower
		if span.done() < enoughDone {
			by = muchSlower
		}
		next := max(t.factor*by, leastFactor)
		if t.before > 0 {
			next = min(t.before, next/slower)
			t.retry = min(2*t.retry, retryMost)
		}
		t.factor, t.before, t.since, t.rest = next, 0, 0, settleFor
		return slowsDown
	}
	t.calm += span.wall
	if t.factor == 1 || t.calm < calmFor || t.since < t.retry {
		return keeps
	}
	t.before = t.factor
	t.factor, t.calm, t.rest = min(t.factor*faster, 1), 0, settleFor
	return speedsUp
}

// disturb forgets the span under way: time did not run evenly in it.
func (t *throttle) disturb() { t.span, t.rest = lateness{}, settleFor }

// exhausted reports whether the lowest speed is not low enough.
func (t *throttle) exhausted() bool { return t.factor <= leastFactor && t.overloaded }
