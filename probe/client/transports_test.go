package client_test

import (
	"errors"
	"net/http"
	"net/url"
	"testing"

	"tokscope/metrics"
	"tokscope/probe/client"
)

// TestDirectLeavesTheProxyOut sends the same request with and without the
// proxy, which refuses everything.
func TestDirectLeavesTheProxyOut(t *testing.T) {
	e := newEngine(t, client.Options{Proxy: func(*http.Request) (*url.URL,
		error) {
		return nil, errors.New("through the proxy")
	}})
	target := targetAt(streaming(t, `{"choices":[{"index":0,"delta":{"content":"hi"}}]}`, "[DONE]").URL)
	for _, direct := range []bool{false, true, false} {
		target.Direct = direct
		if v := ended(e.Start(t.Context(), target, metrics.Workload{Prompt: "x"})); (v.Fault == nil) != direct {
			t.Errorf("direct %v: %v", direct, v.Fault)
		}
	}
}
