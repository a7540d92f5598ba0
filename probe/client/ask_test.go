package client_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
)

// newEngine starts an engine that the test ends.
func newEngine(t *testing.T, o client.Options) *client.Engine {
	e := client.New(o)
	t.Cleanup(e.Close)
	return e
}

// targetAt is a server that is known, at url.
func targetAt(url string) endpoint.Target {
	return endpoint.Target{
		Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, Name: "test", URL: url, Model: "m"}, Auth: endpoint.AuthNone,
		Server: "test",
	}
}

// ended is the record of s, once it has ended.
func ended(s *client.Stream) metrics.Stream {
	<-s.Done()
	return s.Snapshot()
}

// asked is a request of w at url, with these flags and this key, once it has ended.
func asked(t *testing.T, url, key string, flags endpoint.Flags, w metrics.Workload) *client.Stream {
	t.Helper()
	flags.Model, flags.APIKeyEnv = "m", "K"
	r := &endpoint.Resolver{Env: func(n string) string { return map[string]string{"K": key}[n] }, Flags: flags}
	s := newEngine(t, client.Options{}).Start(t.Context(), testkit.Must(r.Resolve(url))(t), w)
	<-s.Done()
	return s
}

// streaming starts a server that sends these events to every request.
func streaming(t *testing.T, events ...string) *httptest.Server {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range events {
			fmt.Fprintf(w, "data: %s\n\n", e)
		}
	}))
	t.Cleanup(srv.Close)
	return srv
}
