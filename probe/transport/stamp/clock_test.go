package stamp

import (
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewClock()
		time.Sleep(1500 * time.Millisecond)
		testkit.Is(t, c.Now(), metrics.Stamp(1500*time.Millisecond), "Now is … after 1.5 s")
		if got := c.Wall(c.Now()); !got.Equal(time.Now()) {
			t.Errorf("Wall(Now) is %v at %v", got, time.Now())
		}
		testkit.Is(t, c.FromWall(time.Now().UnixNano()), c.Now(), "FromWall(now) is … at")
		testkit.That(t, c.Wall(metrics.NoStamp).IsZero(), "a moment that never came has a time of day")
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
			testkit.Is(t, at, c.Now(), "a step of the wall clock changed the stamp")
			if got := c.FromWall(time.Now().UnixNano()); got != c.Now() {
				t.Errorf("after a step of %v, FromWall(now) is off by %v", by, time.Duration(got-c.Now()))
			}
			testkit.Is(t, c.Step(), by.Abs(), "a step of", by, "was noticed as")
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
