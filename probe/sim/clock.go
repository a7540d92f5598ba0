package sim

import "time"

// clock maps the engine's seconds to the wall and back, at a constant speed.
type clock struct {
	origin time.Time // the wall's moment of engine time 0
	speed  float64
}

// engine is the engine's time at wall moment t.
func (c *clock) engine(t time.Time) float64 { return t.Sub(c.origin).Seconds() * c.speed }

// wall is the moment of engine time v.
func (c *clock) wall(v float64) time.Time {
	return c.origin.Add(time.Duration(v / c.speed * 1e9))
}
