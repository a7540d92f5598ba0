package sim

import (
	"math"
	"slices"
	"time"
)

// maxPast bounds the number of speed changes that a clock remembers.
const maxPast = 1024

// clock converts engine time in seconds to wall time and back. Its speed may
// change, also to 0. Engine time never jumps back. A copy stays valid when
// the speed of the original changes.
type clock struct {
	stretch
	past []stretch // stretches before it, oldest first
}

// stretch is a period of constant speed.
type stretch struct {
	origin time.Time // wall time of its start
	base   float64   // engine time of its start
	speed  float64   // engine seconds per wall second; 0 stops the clock
}

// engine returns the engine time at wall time t.
func (c *clock) engine(t time.Time) float64 {
	for i := len(c.past); ; i-- {
		s := c.at(i)
		if i > 0 && t.Before(s.origin) {
			continue
		}
		v := s.base + t.Sub(s.origin).Seconds()*s.speed
		if i < len(c.past) {
			v = min(v, c.at(i+1).base)
		}
		return v
	}
}

// wall returns the wall time at which engine time v is reached. If the clock
// was stopped at v, it returns the first such time. It returns the zero time
// if v is never reached at the current speed.
func (c *clock) wall(v float64) time.Time {
	i := len(c.past)
	for i > 0 && v <= c.at(i).base {
		i--
	}
	s := c.at(i)
	switch {
	case s.speed > 0:
		t := s.origin.Add(time.Duration((v - s.base) / s.speed * 1e9))
		if i < len(c.past) && t.After(c.at(i+1).origin) {
			t = c.at(i + 1).origin // rounding, or a jump
		}
		return t
	case i < len(c.past):
		return c.at(i + 1).origin // a jump while the clock was stopped
	case v <= s.base:
		return s.origin
	}
	return time.Time{}
}

// span returns the wall time between engine times a and b, in seconds.
func (c *clock) span(a, b float64) float64 {
	if len(c.past) == 0 {
		return (b - a) / c.speed
	}
	return max(0, c.wall(b).Sub(c.wall(a)).Seconds())
}

// setSpeed changes the speed at wall time now and engine time v.
func (c *clock) setSpeed(now time.Time, v, speed float64) {
	if len(c.past) == maxPast {
		c.past = slices.Clone(c.past[maxPast/2:]) // a copy of the clock may still read the old slice
	}
	c.past = append(c.past, c.stretch)
	c.stretch = stretch{origin: now, base: v, speed: speed}
}

func (c *clock) at(i int) *stretch {
	if i == len(c.past) {
		return &c.stretch
	}
	return &c.past[i]
}

// limited returns the engine time at now, but not past the next engine event.
func (c *clock) limited(now time.Time, next float64) float64 {
	return max(c.base, min(c.engine(now), math.Max(next, c.base)))
}

// clockControl is the clock of a driver with what stops it, changes its speed
// and lets it run single steps. It is not safe for concurrent use: driver.mu
// guards it.
type clockControl struct {
	clock        clock
	speed        float64   // of the clock while it is not paused
	speedChanged time.Time // wall time of the latest speed change
	next         float64   // engine time of the next event, or never
	lastShown    float64   // the latest engine time that now returned
	paused       bool
	singles      int // steps to run while paused
}

// newClockControl returns a clock that starts now.
func newClockControl(speed float64) clockControl {
	return clockControl{clock: clock{stretch: stretch{origin: time.Now(), speed: speed}}, speed: speed, next: never}
}

// setSpeed changes the speed at once, or after the pause.
func (k *clockControl) setSpeed(x float64) {
	if x == k.speed {
		return
	}
	k.speed = x
	if !k.paused {
		k.apply(x)
	}
}

// pause stops the clock or resumes it. It reports whether that is a change.
func (k *clockControl) pause(on bool) bool {
	if on == k.paused {
		return false
	}
	k.paused = on
	if on {
		k.apply(0)
	} else {
		k.singles = 0
		k.apply(k.speed)
	}
	return true
}

// apply changes the speed of the clock itself.
func (k *clockControl) apply(speed float64) {
	now := time.Now()
	k.clock.setSpeed(now, k.clock.limited(now, k.next), speed)
	k.speedChanged = now
}

// now returns the current engine time. It does not pass the end of a late
// step.
func (k *clockControl) now() float64 {
	k.lastShown = max(k.lastShown, k.clock.limited(time.Now(), k.next))
	return k.lastShown
}

// single reports whether a single step is to be run now, and counts it as run.
func (k *clockControl) single() bool {
	if !k.paused || k.singles == 0 {
		return false
	}
	k.singles--
	return true
}

// skip moves the clock forward to an engine time. It returns false if that has
// passed.
func (k *clockControl) skip(to float64) bool {
	now := time.Now()
	if k.clock.limited(now, k.next) >= to {
		return false
	}
	k.clock.setSpeed(now, to, k.clock.speed)
	k.speedChanged = now
	return true
}

// setBack delays everything to come by lag.
func (k *clockControl) setBack(lag time.Duration) { k.clock.origin = k.clock.origin.Add(lag) }

// never is the time of the next event when there is no event.
var never = math.Inf(1)
