package client_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
)

// TestQuestionsShareAConnection checks that all questions about a server of this
// machine use one connection, and that a request never uses that one.
func TestQuestionsShareAConnection(t *testing.T) {
	var mu sync.Mutex
	asked, measured := map[string]int{}, map[string]int{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.Method == http.MethodGet {
			asked[r.RemoteAddr]++
			http.NotFound(w, r)
			return
		}
		measured[r.RemoteAddr]++
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"hello"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	shut := make(chan string, 100)
	server.Config.ConnState = func(c net.Conn, s http.ConnState) {
		if s == http.StateClosed {
			shut <- c.RemoteAddr().String()
		}
	}
	server.Start()
	defer server.Close()
	e := newEngine(t, client.Options{})
	target := endpoint.Target{Endpoint: metrics.Endpoint{Name: "local", URL: server.URL + "/v1", Model: "m"},
		Auth: endpoint.AuthNone}
	for i := range 2 {
		if v := ended(e.Start(context.Background(), target, metrics.Workload{Prompt: "hi",
			MaxTokens: 2})); v.State != metrics.Done || v.Conn.Reused != (i > 0) {
			t.Errorf("request %d: state %v, reused %v, %+v", i+1, v.State, v.Conn.Reused, v.Fault)
		}
	}
	closed := <-shut // no request needed its connection closed
	mu.Lock()
	defer mu.Unlock()
	for addr, n := range asked {
		testkit.That(t, len(asked) == 1 && n >= 5 && measured[addr] <= 0 && addr == closed,
			"questions by connection %v, requests %v, closed %s", asked, measured, closed)
	}
	testkit.That(t, len(asked) != 0, "the server was asked nothing")
}
