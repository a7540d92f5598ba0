package say

import (
	"fmt"

	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
)

// unsteadies has a writer for every reason why a window is not steady.
var unsteadies = map[loadstat.UnsteadyCode]func(n, of float64) string{
	loadstat.UnsteadyNoUser: func(float64, float64) string { return "no user" },
	loadstat.UnsteadyLeaving: func(n, _ float64) string {
		return format.Plural(int(n), "user", "users") + " still leaving"
	},
	loadstat.UnsteadyBefore: func(n, _ float64) string {
		return format.Plural(int(n), "request", "requests") + " from before the change still running"
	},
	loadstat.UnsteadyCold: func(n, of float64) string {
		return format.Plural(int(n), "user", "users") + " of " + format.Whole(of) + " without a first chunk yet"
	},
	loadstat.UnsteadyNoneEnded: func(float64, float64) string { return "no request sent at this rate has ended yet" },
	loadstat.UnsteadyShort:     func(n, of float64) string { return fmt.Sprintf("measuring %.1f of %.1f s", n, of) },
	loadstat.UnsteadyFew: func(n, of float64) string {
		if n == 1 {
			return "1 request measured, " + format.Whole(of) + " needed"
		}
		return format.Whole(n) + " requests measured, " + format.Whole(of) + " needed"
	},
	loadstat.UnsteadyNoTokens: func(float64, float64) string { return "no tokens in the window" },
	loadstat.UnsteadyThroughput: func(n, _ float64) string {
		return fmt.Sprintf("throughput still drifting: %+.0f %% between halves of the window", 100*n)
	},
	loadstat.UnsteadyTTFT: func(n, _ float64) string {
		return fmt.Sprintf("TTFT still drifting: %+.0f ms between halves of the window", n)
	},
	loadstat.UnsteadyQueue: func(n, of float64) string {
		return "requests pile up: " + format.Whole(n) + " under way, " + format.Whole(of) + " before"
	},
	loadstat.UnsteadyHold:   func(float64, float64) string { return "on hold" },
	loadstat.UnsteadyRamp:   func(float64, float64) string { return "the load changes: a ramp is never steady" },
	loadstat.UnsteadyNoLoad: func(float64, float64) string { return "no load was started" },
}

// Unsteady writes the reason why a window is not steady: "5 requests
// measured, 8 needed". It is "" for a steady window. An unknown code is written as it
// is.
func Unsteady(u loadstat.Unsteady) string {
	write := unsteadies[u.Code]
	if write == nil {
		return string(u.Code)
	}
	return write(u.N, u.Of)
}
