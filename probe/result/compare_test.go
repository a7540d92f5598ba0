package result

import (
	"testing"

	"tokscope/metrics/condition"
	"tokscope/metrics/testkit"
)

// TestEndsOfIntervals: 0 bounds a share of failures, and nothing else.
func TestEndsOfIntervals(t *testing.T) {
	for text, known := range map[string]bool{"failures > 5%": true, "ttft.p90 > 1.2x A": false, "total.p50 > 4s": false} {
		c := testkit.Must(condition.Parse(text))(t)
		low := lowOf(&c, 0)
		testkit.That(t, (low != nil) == known, "%s: the lower end 0 is written as %v", text, low)
	}
}
