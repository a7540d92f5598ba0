package client_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"tokscope/metrics"
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
		Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, Name: "test", URL: url, Model: "m"}, Auth: endpoint.AuthNone, Server: "test",
	}
}

// ended is the record of s, once it has ended.
func ended(s *client.Stream) metrics.Stream {
	<-s.Done()
	return s.Snapshot()
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
