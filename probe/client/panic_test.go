package client

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/probe/endpoint"
)

// clumsy is a sink that panics with what it must not tell.
type clumsy struct{ key string }

func (clumsy) Begin(metrics.Stream) {}

func (c clumsy) Event(*Folded) { panic("sent with " + c.key) }

func (clumsy) Flush()             {}
func (clumsy) End(metrics.Stream) {}

// A panic in our own code ends the stream as a failure, not the program, and
// what it says holds no key.
func TestPanicEndsTheStreamAndHidesTheKey(t *testing.T) {
	const key = "sk-panic-0123456789abcdef"
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\ndata: [DONE]\n\n"))
	}))
	defer srv.Close()
	e := New(Options{})
	defer e.Close()
	e.AddSink(clumsy{key})
	s := e.Start(context.Background(), endpoint.Target{
		Endpoint: metrics.Endpoint{URL: srv.URL, Model: "m"}, Key: endpoint.NewSecret(key), Auth: endpoint.AuthBearer, Server: "test",
	}, metrics.Workload{Prompt: "x"})
	<-s.Done()
	v := s.Snapshot()
	if v.State != metrics.Failed || v.Fault == nil || v.Fault.Kind != metrics.FaultInternal {
		t.Fatalf("%v: %+v", v.State, v.Fault)
	}
	if said := v.Fault.Message + v.Fault.Next + v.Fault.Body; strings.Contains(said, "0123456789abcdef") {
		t.Errorf("the key is in what the panic says: %s", said)
	}
}
