package sim

import (
	"math"
	"slices"
	"time"
)

// maxPast bounds the changes of speed that a clock remembers.
const maxPast = 1024

// clock maps the engine's seconds to the wall and back. It runs at a speed that
// may be changed, and can stand still; the engine's time never jumps back. A
// copy stays as it is when the original is turned.
type clock struct {
	stretch
	past []stretch // before it, oldest first
}

// stretch is a time of constant speed.
type stretch struct {
	origin time.Time // the wall's moment at its beginning
	base   float64   // the engine's time then
	speed  float64   // engine seconds in one of the wall; 0 stands still
}

func newClock(speed float64) clock {
	return clock{stretch: stretch{origin: time.Now(), speed: speed}}
}

// engine is the engine's time at wall moment t.
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

// wall is the moment at which engine time v comes, or came: the first one,
// where the clock stood still. It is zero when v never comes at this speed.
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
		return c.at(i + 1).origin // a jump out of a standstill
	case v <= s.base:
		return s.origin
	}
	return time.Time{}
}

// span is how long the engine's time from a to b took on the wall, seconds.
func (c *clock) span(a, b float64) float64 {
	if len(c.past) == 0 {
		return (b - a) / c.speed
	}
	return max(0, c.wall(b).Sub(c.wall(a)).Seconds())
}

// turn changes the speed at wall moment now, when the engine's time is v.
func (c *clock) setSpeed(now time.Time, v, speed float64) {
	if len(c.past) == maxPast {
		c.past = slices.Clone(c.past[maxPast/2:]) // a copy of the clock may still read the old ones
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

// limited is the engine's time at now, at most the moment of what comes next.
func (c *clock) limited(now time.Time, next float64) float64 {
	return max(c.base, min(c.engine(now), math.Max(next, c.base)))
}
