package endpoint

import (
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/secret"
)

// TestKeyFromHeaders: a header or a parameter that carries a key is named as its source.
func TestKeyFromHeaders(t *testing.T) {
	key := secret.NewSecret("sk-1")
	for _, c := range []struct {
		name    string
		target  Target
		headers []string
		query   string
		want    string
	}{
		{"Basic", Target{}, []string{"Authorization"}, "", "the profile's headers: Authorization"},
		{"a key's own header", Target{}, []string{"x-api-key", "X-Team"}, "", "the profile's headers: X-Api-Key"},
		{"two", Target{}, []string{"Cf-Access-Client-Secret", "Api-Key"}, "",
			"the profile's headers: Api-Key, Cf-Access-Client-Secret"},
		{"none", Target{}, []string{"X-Team"}, "", ""},
		{"a parameter", Target{}, nil, "api_key", "the query: api_key"},
		{"beside a key", Target{Key: key, KeyFrom: "env K"}, []string{"X-Api-Key"}, "", "env K"},
		{"in place of a key", Target{Key: key, KeyFrom: "env K"}, []string{"Authorization"}, "",
			"the profile's headers: Authorization"},
	} {
		for _, h := range c.headers {
			c.target.setHeader(h, "secret value", false)
		}
		if c.query != "" {
			c.target.setQuery(c.query, []string{"secret"}, false)
		}
		new(Resolver).ready(&c.target)
		testkit.That(t, c.target.KeyFrom == c.want, "%s: %q, want %q", c.name, c.target.KeyFrom, c.want)
	}
}
