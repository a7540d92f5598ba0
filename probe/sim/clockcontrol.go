package sim

import (
	"math"
	"time"
)

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
