//go:build !linux

package probetest

import (
	"time"

	"tokscope/probe/transport/stamp"
)

// Base returns 0: on this platform, stamps are only comparable within one
// process.
func Base(*stamp.Clock) int64 { return 0 }

func sleep(d time.Duration) { time.Sleep(d) }

// warmer does nothing on this platform.
type warmer struct{}

func newWarmer() *warmer { return &warmer{} }

func (*warmer) warm()  {}
func (*warmer) close() {}
