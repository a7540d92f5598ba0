//go:build !linux

package sim

import "time"

func sharpen() {}

// nap sleeps for d with whatever the runtime's timers resolve.
func nap(d time.Duration) { time.Sleep(d) }
