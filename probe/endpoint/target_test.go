package endpoint

import (
	"net/http/httptest"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/secret"
)

func TestTargetIsPrintedWithoutSecrets(t *testing.T) {
	const theKey = "sk-proj-Ab+/\"\\&<é1234567890"
	target := Target{Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, Name: "n", URL: "https://h/v1"},
		Key: secret.NewSecret(theKey), Auth: AuthBearer}
	target.setHeader("x-gateway-token", "gateway-hunter2", false)
	target.setHeader("Authorization", "Custom custom-hunter2", false)
	target.setHeader("X-Odd", "odd-hunter2", true)
	target.setHeader("X-Team", "blue", false)
	target.setQuery("sig", []string{"sig-hunter2"}, false)
	target.setQuery("api-version", []string{"2024-10-21"}, false)
	out := testkit.Printed(target) + testkit.Printed(&target) + testkit.Printed(struct{ in Target }{target})
	testkit.Lacks(t, out, theKey[:12], "1234567890", "hunter2")
	var known []string
	for _, s := range target.Secrets() {
		known = append(known, s.Reveal())
	}
	testkit.Has(t, strings.Join(known, "\n"), theKey, "gateway-hunter2", "custom-hunter2", "odd-hunter2", "sig-hunter2")

	r := httptest.NewRequest("GET", "https://h/v1/models?a=1", nil)
	target.Authorize(r)
	testkit.Is(t, r.Header.Get("Authorization"), "Custom custom-hunter2", "a header of the target must win over the key")
	if r.Header.Get("X-Gateway-Token") != "gateway-hunter2" || r.Header.Get("X-Team") != "blue" ||
		r.URL.RawQuery != "a=1&api-version=2024-10-21&sig=sig-hunter2" {
		t.Errorf("request lacks something: %v %s", r.Header, r.URL.RawQuery)
	}
}

func TestAuthorize(t *testing.T) {
	for _, c := range []struct{ auth, bearer, apiKey string }{
		{AuthBearer, "Bearer k", ""}, {"", "Bearer k", ""}, {AuthAPIKey, "", "k"}, {AuthNone, "", ""},
	} {
		r := httptest.NewRequest("GET", "http://h/", nil)
		Target{Key: secret.NewSecret("k"), Auth: c.auth}.Authorize(r)
		testkit.That(t, r.Header.Get("Authorization") == c.bearer && r.Header.Get("Api-Key") == c.apiKey,
			"auth %q: %v", c.auth, r.Header)
	}
}
