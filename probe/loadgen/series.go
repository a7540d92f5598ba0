package loadgen

import "tokscope/metrics"

// second gathers what the time chart shows of a second.
type second struct {
	at     metrics.Stamp
	ttft   []float64
	gaps   metrics.Sketch
	failed int
}
