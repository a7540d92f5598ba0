package loadgen

import "tokscope/metrics"

// second gathers the figures of the next entry.
type second struct {
	at     metrics.Stamp
	ttft   []float64
	gaps   metrics.Sketch
	failed int
}
