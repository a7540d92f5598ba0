package say

import "testing"

func TestSpeedOfAReplay(t *testing.T) {
	for x, want := range map[float64]string{0.001: "0.001x", 0.0333: "0.0333x", 0.1: "0.1x", 1: "1x", 1000: "1,000x"} {
		is(t, ReplaySpeed(x), want)
	}
}
