//go:build !linux

package sim

import "time"

func tightenTimer() {}

// nap sleeps for d with whatever the runtime's timers resolve.
func sleepExactly(d time.Duration) { time.Sleep(d) }
