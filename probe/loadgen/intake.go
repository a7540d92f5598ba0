package loadgen

import "tokscope/metrics"

// stallLimit is how long a silence of one lane must be to be a stall, ms, where
// gaps are those of all lanes:
//
//	max(5 · median, 50 ms, 2 · p99)
//
// The first two are those of a single stream. In a batch the prefill of one
// stretches a gap of everybody, by the rule and not by accident: at 256 users
// that is one gap in ten, far above five medians. What is twice as long as 99 of
// 100 gaps is no part of that. With too few gaps for a p99 the longest stands in.
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
