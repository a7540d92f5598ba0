package export

import (
	"slices"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// TestAPIsAreApart holds that requests to one address in two APIs are two series of every
// instrument, in the words of the specification where it has some.
func TestAPIsAreApart(t *testing.T) {
	of := func(api string, kind metrics.EndpointKind) labels {
		s := metrics.Stream{Endpoint: metrics.Endpoint{Kind: kind, Name: "gateway", URL: "https://gateway/v1", API: api}}
		return labelsOf(&s, func(text string) string { return text })
	}
	has := func(in int, api, key, want string) {
		l := of(api, metrics.EndpointURL)
		all := instruments[in].attributes(&l, "")
		got := attribute{}
		if i := slices.IndexFunc(all, func(a attribute) bool { return a.key == key }); i >= 0 {
			got = all[i]
		}
		testkit.Is(t, got.value, want, api, key)
	}
	for api, want := range map[string][3]string{
		"": {"chat", "openai", ""}, "messages": {"chat", "anthropic", ""}, "responses": {"chat", "openai", "responses"},
		"gemini": {"generate_content", "gcp.gemini", ""}, "completions": {"text_completion", "openai", ""},
	} {
		has(opDuration, api, "gen_ai.operation.name", want[0])
		has(opDuration, api, "gen_ai.provider.name", want[1])
		has(opDuration, api, "openai.api.type", want[2])
		has(opDuration, api, "api", api)
		has(requests, api, "api", api)
	}
	testkit.That(t, of("", metrics.EndpointURL).plain() != of("messages", metrics.EndpointURL).plain(),
		"two APIs are one series")
	testkit.Is(t, of("messages", metrics.EndpointEmbedded).provider, embedded, "the embedded endpoint is of")
}
