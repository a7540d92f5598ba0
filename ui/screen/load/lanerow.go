package load

import "tokscope/metrics"

// laneNow is the room for what a lane does now: "  1.24 s".
const laneNow = 8

// sign is a state in the legend.
type sign struct {
	state metrics.LaneState
	word  string
}

var signs = [...]sign{{metrics.LaneWaiting, "waiting"}, {metrics.LanePrefill, "prefill"}, {metrics.LaneDecoding, "decode = gap"}, {metrics.LaneStalled, "stall"}, {metrics.LaneBackoff, "backoff"}}

// legendW holds all signs with their words and how long a stall is.
const legendW = 68

func digitsOf(n int) int {
	d := 1
	for ; n >= 10; n /= 10 {
		d++
	}
	return max(d, 2)
}
