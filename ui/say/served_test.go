package say

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/verdict"
)

// TestServedWords writes who served a request, and a difference from what was asked.
func TestServedWords(t *testing.T) {
	priority := metrics.Service{Tier: "priority"}
	for _, c := range []struct {
		s    metrics.Stream
		want string
	}{
		{metrics.Stream{}, ""},
		{metrics.Stream{Asked: priority}, ""},
		{metrics.Stream{Asked: priority, Served: metrics.Served{Service: metrics.Service{Tier: "default"}}}, "tier default, asked priority"},
		{metrics.Stream{Asked: priority, Served: metrics.Served{Service: priority, Region: "eu"}, Provider: "Fire\x1b[2J"}, "tier priority; provider Fire␛[2J; region eu"},
		{metrics.Stream{Served: metrics.Served{Deployment: "d-7", Fallbacks: 1, Retries: 2}}, "deployment d-7; 1 fallback and 2 retries behind the gateway"},
		{metrics.Stream{Served: metrics.Served{Retries: 1}}, "1 retry behind the gateway"},
	} {
		is(t, Served(&c.s), c.want)
	}
	for status, want := range map[int]string{524: "HTTP 524, Cloudflare got no answer from the server",
		530: "HTTP 530, Cloudflare got no answer from the server", 529: "HTTP 529, the server is overloaded", 502: "HTTP 502, the server failed"} {
		is(t, faultWords(&metrics.Fault{Kind: metrics.FaultHTTP, Status: status}), want)
	}
	for code, want := range map[string]string{"": "an error in the stream", "overloaded_error": "an error in the stream: overloaded_error"} {
		is(t, faultWords(&metrics.Fault{Kind: metrics.FaultInStream, Code: code}), want)
	}
	is(t, faultWords(&metrics.Fault{Kind: metrics.FaultInStream, Code: "429", Status: 429}), "HTTP 429, an error in the stream")
	for want, f := range map[string]verdict.Finding{
		"Tier default, asked priority.":                                  {Code: verdict.OtherTier, Grade: verdict.Spoils, Name: "default", Part: "priority"},
		"1 fallback and 2 retries behind the gateway: part of the wait.": {Code: verdict.Attempts, Grade: verdict.Spoils, N: 1, Of: 2},
		"2 fallbacks behind the gateway: part of the wait.":              {Code: verdict.Attempts, Grade: verdict.Spoils, N: 2},
	} {
		is(t, Conclusion([]verdict.Finding{f}), want)
	}
}
