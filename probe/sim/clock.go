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
