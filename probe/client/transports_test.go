package client_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"tokscope/metrics"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
)

// TestDirectLeavesTheProxyOut sends the same request with and without the
// proxy, which refuses everything.
func TestDirectLeavesTheProxyOut(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"}}]}\n\ndata: [DONE]\n\n")
	}))
	defer server.Close()
	e := client.New(client.Options{Proxy: func(*http.Request) (*url.URL, error) { return nil, errors.New("through the proxy") }})
	defer e.Close()
	target := endpoint.Target{Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, Name: "x", URL: server.URL, Model: "m"}, Server: "x"}
	for _, direct := range []bool{false, true, false} {
		target.Direct = direct
		s := e.Start(t.Context(), target, metrics.Workload{Prompt: "x"})
		<-s.Done()
		if v := s.Snapshot(); (v.Fault == nil) != direct {
			t.Errorf("direct %v: %v", direct, v.Fault)
		}
	}
}
