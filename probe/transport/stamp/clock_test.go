package stamp

import (
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
)

func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewClock()
		time.Sleep(1500 * time.Millisecond)
		if got := c.Now(); got != metrics.Stamp(1500*time.Millisecond) {
			t.Errorf("Now is %d after 1.5 s", got)
		}
		if got := c.Wall(c.Now()); !got.Equal(time.Now()) {
			t.Errorf("Wall(Now) is %v at %v", got, time.Now())
		}
		if got := c.FromWall(time.Now().UnixNano()); got != c.Now() {
			t.Errorf("FromWall(now) is %d at %d", got, c.Now())
		}
		if !c.Wall(metrics.NoStamp).IsZero() {
			t.Error("a moment that never came has a time of day")
		}
		if got := c.check(); got != c.Now() || c.Step() != 0 {
			t.Errorf("check is %d at %d, step %v", got, c.Now(), c.Step())
		}
	})
}

func TestClockStep(t *testing.T) {
	for _, by := range []time.Duration{time.Hour, -time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			c := NewClock()
			c.diff.Add(int64(by)) // as if the wall clock had been at another time before
			at := c.check()
			if at != c.Now() {
				t.Errorf("a step of the wall clock changed the stamp: %d", at)
			}
			if got := c.FromWall(time.Now().UnixNano()); got != c.Now() {
				t.Errorf("after a step of %v, FromWall(now) is off by %v", by, time.Duration(got-c.Now()))
			}
			if c.Step() != by.Abs() {
				t.Errorf("a step of %v was noticed as %v", by, c.Step())
			}
		})
	}
}

func TestSmallDeviationsAreNoise(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewClock()
		before := c.diff.Add(int64(stepNoise) / 2)
		time.Sleep(2 * remeasure)
		c.check()
		if c.diff.Load() != before || c.Step() != 0 {
			t.Errorf("noise was taken for a step of %v", c.Step())
		}
	})
}

func BenchmarkNow(b *testing.B) {
	c := NewClock()
	for b.Loop() {
		c.Now()
	}
}

func BenchmarkCheck(b *testing.B) {
	c := NewClock()
	for b.Loop() {
		c.check()
	}
}
