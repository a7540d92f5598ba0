//go:build !linux

package probetest

import (
	"time"

	rx "tokscope/probe/transport/stamp"
)

// Base returns 0: stamps can only be compared within one process here.
func Base(*rx.Clock) int64 { return 0 }

func sleep(d time.Duration) { time.Sleep(d) }
