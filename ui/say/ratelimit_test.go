package say

import (
	"testing"
	"time"

	"tokscope/metrics"
)

// TestWaitOf holds whose wait a refused request shows: Retry-After is named only where
// the server sent it, in any of its forms.
func TestWaitOf(t *testing.T) {
	const of, until, named = "of the server's Retry-After", "until its limit resets", "as the answer says"
	limits := func(requests, tokens time.Duration) *metrics.RateLimit {
		return &metrics.RateLimit{ResetRequests: requests, ResetTokens: tokens}
	}
	for _, c := range []struct {
		wait   time.Duration
		field  string
		limits *metrics.RateLimit
		want   string
	}{
		{7 * time.Second, "Retry-After", nil, of},
		{1500 * time.Millisecond, "retry-after-ms", limits(-1, -1), of},
		{40 * time.Second, "X-Ms-Retry-After-Ms", limits(time.Minute, time.Hour), of},
		{3 * time.Minute, "X-Ratelimit-Reset-Requests", limits(3*time.Minute, -1), until},
		{432 * time.Second, "X-Ratelimit-Reset", limits(time.Second, 432*time.Second), until},
		{30 * time.Second, "Ratelimit", limits(-1, 30*time.Second), until},
		{34 * time.Second, "Server", nil, named},
		{34 * time.Second, "", nil, named},
		{90 * time.Second, "X-Ratelimit-Reset-Tokens", limits(-1, 12*time.Second), named},
	} {
		s := metrics.Stream{Fault: &metrics.Fault{RetryAfter: c.wait}, RateLimit: c.limits}
		if c.field != "" {
			s.Head = &metrics.ResponseHead{Fields: []metrics.HeaderField{{Name: "Date"}, {Name: c.field}}}
		}
		if got := WaitOf(&s); got != c.want {
			t.Errorf("%v with %q: %q", c.wait, c.field, got)
		}
	}
}
