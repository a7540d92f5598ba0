package load

import "tokscope/metrics"

// laneNow is the width of a lane's present figure: "  1.24 s".
const laneNow = 8

// sign is a state in the legend.
type sign struct {
	state metrics.LaneState
	word  string
}

var signs = [...]sign{{metrics.LaneWaiting, "waiting"}, {metrics.LanePrefill, "prefill"}, {metrics.LaneDecoding, "decode = gap"}, {metrics.LaneStalled, "stall"}, {metrics.LaneBackoff, "backoff"}}

// legendW fits all signs with their words and the length of a stall.
const legendW = 68

func digitsOf(n int) int {
	d := 1
	for ; n >= 10; n /= 10 {
		d++
	}
	return max(d, 2)
}
