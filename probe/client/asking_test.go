package client_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
)

// Discovery before the first request to a server, which finds its engine, is
// not part of that request. The stream reports it while it runs, and the
// request begins after it.
func TestQuestionsAreNoPartOfTheRequest(t *testing.T) {
	answer := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			<-answer
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	defer srv.Close()
	e := newEngine(t, client.Options{})
	target := endpoint.Target{Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, Name: "local", URL: srv.URL + "/v1",
		Model: "m"}, Auth: endpoint.AuthNone}
	for i := range 2 {
		s := e.Start(t.Context(), target, metrics.Workload{Prompt: "hi", MaxTokens: 5})
		answered := metrics.Stamp(0)
		if i == 0 {
			for !s.Snapshot().Asking {
				time.Sleep(time.Millisecond)
			}
			if v := s.Snapshot(); v.State != metrics.Connecting || v.Marks.ConnectStart.Known() {
				t.Errorf("while the server is asked: %v, %+v", v.State, v.Marks)
			}
			answered = e.Clock().Now()
			close(answer)
		}
		<-s.Done()
		v := s.Snapshot()
		if v.State != metrics.Done || v.Asking || v.Marks.Start < answered || v.Marks.Start > v.Marks.Sent {
			t.Errorf("request %d: %v (%v), asking %v, begun %d, answered %d, sent %d", i+1, v.State, v.Fault, v.Asking,
				v.Marks.Start, answered, v.Marks.Sent)
		}
	}
}
