package loadgen

import "tokscope/metrics"

// stallLimit returns the silence of one lane that is a stall, ms, where gaps
// are those of all lanes:
//
//	max(5 · median, 50 ms, 2 · p99)
//
// The first two are those of a single stream. In a batch the prefill of one
// request stretches a gap of all others: at 256 users one gap in ten, far
// above five medians. A silence of twice the p99 exceeds these gaps. With too
// few gaps for a p99 the longest is used.
func stallLimit(gaps *metrics.Dist) (ms float64, ok bool) {
	if !gaps.P50.OK {
		return 0, false
	}
	usual := gaps.P99
	if !usual.OK {
		usual = gaps.Max
	}
	return max(metrics.StallFactor*gaps.P50.V, metrics.StallFloor, usualFactor*usual.V), true
}
