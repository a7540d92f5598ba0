package client_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"tokscope/metrics"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
)

// Groq sends its times in usage and again in x_groq.usage: each counts once.
func TestTimesSentTwice(t *testing.T) {
	const usage = `{"prompt_tokens":8,"completion_tokens":9,"queue_time":0.001,"prompt_time":0.002,"completion_time":0.03,"total_time":0.032}`
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}],"x_groq":{"usage":`+usage+"}}\n\n")
		fmt.Fprint(w, `data: {"choices":[],"usage":`+usage+"}\n\ndata: [DONE]\n\n")
	}))
	defer srv.Close()
	e := client.New(client.Options{})
	defer e.Close()
	s := e.Start(context.Background(), endpoint.Target{
		Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, Name: "test", URL: srv.URL, Model: "m"}, Auth: endpoint.AuthNone, Server: "test",
	}, metrics.Workload{Prompt: "x", MaxTokens: 4})
	<-s.Done()
	if v := s.Snapshot(); len(v.Server) != 4 {
		t.Errorf("%d server times: %+v; fault %+v", len(v.Server), v.Server, v.Fault)
	}
}
