package say

import (
	"testing"

	"tokscope/metrics"
)

// TestSettings holds that the API is no setting beside a workload: one of them is named "chat".
func TestSettings(t *testing.T) {
	for _, c := range []struct{ api, settings, want string }{
		{"", "", ""},
		{"", "X-Team: blue", "with X-Team: blue"},
		{"messages", "api=messages", "API messages"},
		{"messages", "api=messages, X-Team: blue, extra.top_k=40", "API messages, with X-Team: blue, extra.top_k=40"},
	} {
		is(t, Settings(&metrics.Endpoint{API: c.api, Settings: c.settings}), c.want)
	}
}
