//go:build !linux

package sim

import "time"

func tightenTimer() {}

// sleepExactly sleeps for d, with the resolution of the runtime's timers.
func sleepExactly(d time.Duration) { time.Sleep(d) }
