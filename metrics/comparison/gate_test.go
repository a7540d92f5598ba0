package comparison

import (
	"math"
	"testing"

	"tokscope/metrics/condition"
	"tokscope/metrics/testkit"
)

// TestRequestsOfAGate holds the table of docs/ci.md: with so many requests on each side,
// `ttft.p50 > 1.1x` finds 9 of 10 slowdowns of that size, and at the limit itself it is
// met in at most 5 %.
func TestRequestsOfAGate(t *testing.T) {
	random, tries := testkit.Rand(t, 27), 50
	if long {
		tries = 2000
	}
	c, err := condition.Parse("ttft.p50 > 1.1x")
	testkit.OK(t, err)
	met := func(n int, truth, spread float64) float64 {
		met := 0.0
		for range tries {
			res := Of(drawn(random, n, 1, spread), drawn(random, n, truth, spread))
			if _, low, high := res.Interval(&c, false); c.Judge(low, high) == condition.Met {
				met++
			}
		}
		return met / float64(tries)
	}
	chance := func(share float64) float64 { return 3 * math.Sqrt(share*(1-share)/float64(tries)) }
	for _, x := range []struct {
		spread, slower float64
		n              int // of docs/ci.md
	}{
		{.05, 1.15, 32}, {.05, 1.2, 10}, {.05, 1.3, 6},
		{.1, 1.2, 32}, {.1, 1.3, 10}, {.1, 1.5, 6},
		{.2, 1.2, 125}, {.2, 1.3, 35}, {.2, 1.5, 12},
		{.3, 1.3, 80}, {.3, 1.5, 24},
	} {
		found, wrong := met(x.n, x.slower, x.spread), met(x.n, 1.1, x.spread)
		t.Logf("spread %.2f, %.2f times as long, %d requests each: found %.3f, met at the limit %.3f", x.spread, x.slower,
			x.n, found, wrong)
		if found < .9-chance(.9) || wrong > .05+chance(.05) {
			t.Errorf("spread %.2f, %.2f times as long, %d requests each: found %.3f, met at the limit %.3f", x.spread, x.slower,
				x.n, found, wrong)
		}
	}
}
