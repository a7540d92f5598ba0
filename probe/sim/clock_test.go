package sim

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
)

// A clock whose speed changes, also to 0, never goes back. Its two
// conversions agree everywhere.
func TestClockNeverGoesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := time.Unix(1000, 0)
		c := clock{stretch: stretch{origin: start, speed: 1}}
		now, last := start, 0.0
		type seen struct {
			at time.Time
			v  float64
		}
		var all []seen
		for range rapid.IntRange(1, 40).Draw(t, "turns") {
			now = now.Add(time.Duration(rapid.IntRange(0, 5_000_000).Draw(t, "us")) * time.Microsecond)
			v := c.engine(now)
			testkit.Given(t, v >= last-1e-9, "%v after %v", v, last)
			last = v
			all = append(all, seen{now, v})
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				c.setSpeed(now, v, 0)
			case 1:
				if c.speed == 0 { // a single step
					last += rapid.Float64Range(0, 3).Draw(t, "jump")
					c.setSpeed(now, last, 0)
				}
			case 2:
				c.setSpeed(now, v, rapid.Float64Range(.001, 1000).Draw(t, "speed"))
			}
		}
		for _, s := range all {
			if v := c.engine(s.at); math.Abs(v-s.v) > 1e-6*max(1, s.v) && v < s.v { // at a jump both times are right
				t.Fatalf("engine time at %v was %v, looked back it is %v", s.at, s.v, v)
			}
			// The first wall time of that engine time, before a stop.
			w := c.wall(s.v)
			testkit.Given(t, !w.After(s.at.Add(time.Microsecond)), "engine time %v came at %v, it was read at %v", s.v, w, s.at)
		}
	})
}

func TestClockConvertsBothWays(t *testing.T) {
	start := time.Unix(1000, 0)
	at := func(s float64) time.Time { return start.Add(time.Duration(s * 1e9)) }
	c := clock{stretch: stretch{origin: start, speed: 1}}
	c.setSpeed(at(5), 5, 0)     // stopped from 5 s on
	c.setSpeed(at(8), 7, 0)     // a step ends at 7
	c.setSpeed(at(10), 7, .1)   // runs on slowly
	c.setSpeed(at(20), 8, 1000) // and fast
	for _, x := range []struct{ v, wall float64 }{{0, 0}, {4, 4}, {5, 5}, {6, 8}, {7, 8}, {7.5, 15}, {8, 20}, {1008, 21}} {
		if got := c.wall(x.v); !got.Equal(at(x.wall)) {
			t.Errorf("engine time %v came %v after the start, want %v", x.v, got.Sub(start), x.wall)
		}
	}
	for _, x := range []struct{ wall, v float64 }{{-1, -1}, {4, 4}, {6, 5}, {8, 7}, {9, 7}, {15, 7.5}, {20, 8},
		{20.5, 508}} {
		if got := c.engine(at(x.wall)); math.Abs(got-x.v) > 1e-9 {
			t.Errorf("after %v s it was %v, want %v", x.wall, got, x.v)
		}
	}
	if got := c.span(4, 7.5); math.Abs(got-11) > 1e-9 {
		t.Errorf("from 4 to 7.5 took %v", got)
	}
	// Set back by one second, because the machine was late: the clock stopped
	// for that time.
	slipped := c
	slipped.past = append([]stretch(nil), c.past...)
	slipped.past[3].speed = .2 // the previous stretch would have ended later
	slipped.origin = slipped.origin.Add(time.Second)
	if v := slipped.engine(at(20.5)); v != 8 {
		t.Errorf("during the delay it is %v", v)
	}
	c.setSpeed(at(30), 10008, 0)
	testkit.That(t, c.wall(10009).IsZero(), "a clock that stands still gets there")
	for i := range 3 * maxPast {
		c.setSpeed(at(30+float64(i)), 10008+float64(i), 1)
	}
	testkit.That(t, len(c.past) <= maxPast, "%d stretches kept", len(c.past))
	if v := c.span(1, 2); v < 0 { // older than the clock remembers
		t.Errorf("a span of %v", v)
	}
}
