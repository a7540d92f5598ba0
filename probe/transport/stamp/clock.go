package stamp

import (
	"sync"
	"sync/atomic"
	"time"

	"tokscope/metrics"
)

const (
	// bracketReadings is the number of wall clock readings, each between two
	// monotonic ones, in one measurement of diff. The narrowest pair counts.
	bracketReadings = 64
	// remeasure is the age at which check measures diff again.
	remeasure = time.Second
	// recheckDeviation is the deviation from diff at which check measures again
	// at once. A preemption between the two readings can cause it too, so it
	// does not prove a step of the wall clock.
	recheckDeviation = 50 * time.Microsecond
	// stepNoise is the largest change of diff that counts as measurement noise.
	// Both clocks are slewed alike, so only a step of the wall clock exceeds it.
	stepNoise = 2 * time.Microsecond
)

// Clock counts nanoseconds since its creation on the monotonic clock. It
// converts wall-clock readings, which the kernel uses to stamp packets. It is
// safe for concurrent use.
type Clock struct {
	origin time.Time
	diff   atomic.Int64 // wall clock (ns since 1970) minus stamp
	next   atomic.Int64 // stamp of the next scheduled measurement of diff
	step   atomic.Int64 // largest absolute change of diff seen
	mu     sync.Mutex   // one measurement at a time
}

// NewClock returns a clock whose origin is now.
func NewClock() *Clock {
	c := &Clock{origin: time.Now()}
	d, _ := c.bracket()
	c.diff.Store(d)
	c.next.Store(int64(c.Now()) + int64(remeasure))
	return c
}

// Now returns the current time.
func (c *Clock) Now() metrics.Stamp { return metrics.Stamp(time.Since(c.origin)) }

// Wall returns the time of day at s, for labels, or the zero time for NoStamp.
func (c *Clock) Wall(s metrics.Stamp) time.Time {
	if !s.Known() {
		return time.Time{}
	}
	return time.Unix(0, c.diff.Load()+int64(s))
}

// Step returns the largest jump of the wall clock against the monotonic clock
// so far. It is 0 unless the wall clock was set while the program ran.
func (c *Clock) Step() time.Duration { return time.Duration(c.step.Load()) }

// FromWall converts a reading of the wall clock in ns since 1970.
func (c *Clock) FromWall(ns int64) metrics.Stamp { return metrics.Stamp(ns - c.diff.Load()) }

// received converts the kernel's stamp of bytes that were read at user.
func (c *Clock) received(wall int64, user metrics.Stamp) (at metrics.Stamp, kernel bool) {
	at = c.FromWall(wall)
	if at <= user {
		return at, true
	}
	return user, at-user < metrics.Stamp(stepNoise) // equal within the accuracy of the conversion
}

// check reads both clocks and returns the time of the call. It measures their
// difference again when that is old or deviates.
func (c *Clock) check() metrics.Stamp {
	t := time.Now()
	now := int64(t.Sub(c.origin))
	off := t.UnixNano() - now - c.diff.Load()
	if off > int64(recheckDeviation) || off < -int64(recheckDeviation) || now >= c.next.Load() {
		c.measure(now)
	}
	return metrics.Stamp(now)
}

func (c *Clock) measure(now int64) {
	if !c.mu.TryLock() {
		return // another goroutine is measuring
	}
	defer c.mu.Unlock()
	c.next.Store(now + int64(remeasure))
	d, width := c.bracket()
	change := d - c.diff.Load()
	if change < 0 {
		change = -change
	}
	if change <= int64(stepNoise) || change <= width {
		return
	}
	c.diff.Store(d)
	if change > c.step.Load() {
		c.step.Store(change)
	}
}

// bracket returns wall clock minus stamp, and the width of the narrowest pair
// of monotonic readings around a wall clock reading, both in ns.
func (c *Clock) bracket() (diff, width int64) {
	width = -1
	for range bracketReadings {
		before := int64(time.Since(c.origin))
		wall := time.Now().UnixNano()
		after := int64(time.Since(c.origin))
		if w := after - before; width < 0 || w < width {
			width = w
			diff = wall - before - w/2
		}
	}
	return diff, width
}
