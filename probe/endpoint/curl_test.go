package endpoint

import (
	"net/url"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/secret"
)

// TestCurlNamesItsSecrets holds that every secret of a target is a variable.
func TestCurlNamesItsSecrets(t *testing.T) {
	target := Target{Endpoint: metrics.Endpoint{URL: "https://h/v1"}, Key: secret.NewSecret("key-1234567890"),
		Auth: AuthAPIKey, KeyFrom: "file", HTTP2: true,
		CACert: "/a b/ca.pem", Query: url.Values{"api-version": {"1&2"}}}
	target.setHeader("x-session-id", "secret-header-1", false)
	target.setQuery("sig", []string{"secret-query-1"}, false)
	text := target.Curl([]byte(`{"a":"it's"}`))
	want := `curl -sS -N 'https://h/v1/chat/completions?api-version=1%262''&sig='"$SIG" \
  --http2 \
  --cacert '/a b/ca.pem' \
  -H 'Content-Type: application/json' -H 'Accept: text/event-stream' \
  -H "Api-Key: $API_KEY" \
  -H 'X-Session-Id: '"$X_SESSION_ID" \
  --data-binary '{"a":"it'\''s"}'
`
	testkit.Is(t, text, want)
	for _, s := range target.Secrets() {
		testkit.Lacks(t, text, s.Reveal())
	}
	testkit.Is(t, variable("2-x"), "_2_X")
}

// TestCurlOfTheNetwork holds that the command goes the way of the request: over a unix
// socket, with a client certificate.
func TestCurlOfTheNetwork(t *testing.T) {
	for want, target := range map[string]Target{
		"curl -sS -N 'http://localhost/v1/chat/completions?a=1' \\\n  --unix-socket '/run/my llm.sock' \\\n": {
			Endpoint: metrics.Endpoint{URL: "unix:///run/my%20llm.sock:/v1"}, Query: url.Values{"a": {"1"}}},
		"curl -sS -N 'https://h/v1/chat/completions' \\\n  --cert 'a.pem' \\\n  --key 'a.key' \\\n": {
			Endpoint: metrics.Endpoint{URL: "https://h/v1"}, Cert: "a.pem", CertKey: "a.key"},
	} {
		text := target.Curl([]byte("{}"))
		testkit.That(t, strings.HasPrefix(text, want), "%s\nwant\n%s", text, want)
	}
}
