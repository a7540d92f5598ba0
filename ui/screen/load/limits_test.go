package load

import (
	"strings"
	"testing"

	"tokscope/metrics"
)

// TestRateLimitIsShown checks that a rate limit that is used up, or will be, is
// shown at the usual sizes.
func TestRateLimitIsShown(t *testing.T) {
	soon := metrics.LimitForecast{Limit: 6000, Left: 900, Reset: metrics.Known(45_000, 0), Pace: metrics.Known(39, 3), UsedUp: metrics.Known(23_000, 3), Outcome: metrics.LimitUsedUp, Answers: 3}
	none := soon
	none.Left, none.UsedUp = 0, metrics.Known(0, 3)
	for _, c := range []struct {
		limits metrics.LimitForecasts
		w, h   int
		want   string
	}{
		{metrics.LimitForecasts{Tokens: soon}, 120, 40, "429 0   tokens used up in 23 s "},
		{metrics.LimitForecasts{Requests: soon}, 120, 40, "429 0   requests used up in 23 s "},
		{metrics.LimitForecasts{Tokens: none}, 120, 40, "429 0   0 tokens left for 45 s "},
		{metrics.LimitForecasts{Requests: none}, 120, 40, "429 0   0 requests left for 45 s "},
		{metrics.LimitForecasts{Tokens: soon}, 80, 24, "429 0  limit in 23 s "},
		{metrics.LimitForecasts{Tokens: none}, 80, 24, "429 0  limit reached "},
	} {
		v := scene(16)
		v.Load.Limits = c.limits
		if text := frame(v, c.w, c.h).Plain(); !strings.Contains(text, c.want) {
			t.Errorf("at %dx%d no %q in\n%s", c.w, c.h, c.want, text)
		}
	}
}
