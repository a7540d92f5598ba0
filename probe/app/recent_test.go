package app

import (
	"slices"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// TestRecentEndpointsComeFirst checks that what the history knows stands first, newest
// first, each endpoint once with what the configuration knows of it, and that the rest
// keeps its order.
func TestRecentEndpointsComeFirst(t *testing.T) {
	of := func(kind metrics.EndpointKind, name, url, note string) metrics.Endpoint {
		return metrics.Endpoint{Kind: kind, Name: name, URL: url, Note: note}
	}
	const url, profile, provider = metrics.EndpointURL, metrics.EndpointProfile, metrics.EndpointProvider
	own := of(url, "groq", "https://groq", "last run C")
	own.API = "messages" // another endpoint than the one that speaks chat completions there
	recent := []metrics.Endpoint{own, of(url, "10.0.0.9", "http://10.0.0.9/v1", "last run B"),
		of(url, "groq", "https://groq", "last run A")}
	all := []metrics.Endpoint{of(metrics.EndpointEmbedded, "demo", "http://here", ""), of(profile, "work", "https://work",
		""),
		of(provider, "groq", "https://groq", "key from X")}
	got := recentFirst(recent, slices.Clone(all))
	want := []metrics.Endpoint{own, recent[1], of(provider, "groq", "https://groq", "key from X, last run A"), all[0],
		all[1]}
	testkit.That(t, slices.Equal(got, want), "%+v\nwant %+v", got, want)
}
