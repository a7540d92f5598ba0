package loadgen

import (
	"time"

	"tokscope/metrics"
)

func newTape(began metrics.Stamp, window time.Duration) *timeline {
	return &timeline{began: began, ring: make([]interval, int(window/sliceLen)+64)}
}
