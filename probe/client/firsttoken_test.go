package client_test

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/probe/client"
)

// An early event without a token leaves the bound of the first token in place;
// the first token begins the idle bound.
func TestEarlyEventIsNoToken(t *testing.T) {
	next := make(chan struct{})
	_, target := newClosing(t, func(s *closing, c net.Conn, _ int) bool {
		_, _ = fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
		for _, event := range []string{
			`{"choices":[{"delta":{"role":"assistant","content":null}}],"prompt_progress":{"total":9,"cache":0,"processed":1}}`,
			`{"choices":[{"delta":{"content":"word"}}]}`,
			`{"choices":[{"delta":{},"finish_reason":"stop"}]}`,
		} {
			_, _ = fmt.Fprintf(c, "data: %s\n\n", event)
			<-next
		}
		return false
	})
	e := newEngine(t, client.Options{})
	s := e.StartQuiet(context.Background(), target, metrics.Workload{Prompt: "x"})
	for _, want := range []struct {
		bound  string
		events int
	}{{"first token", 1}, {"idle", 2}} {
		v := s.Snapshot()
		for deadline := time.Now().Add(20 * time.Second); (v.Events < want.events || v.DataBound != want.bound) && time.Now().Before(deadline); v = s.Snapshot() {
			time.Sleep(time.Millisecond)
		}
		if v.Events != want.events || v.DataBound != want.bound {
			t.Errorf("after %d events the bound is %q, want %q", v.Events, v.DataBound, want.bound)
		}
		next <- struct{}{}
	}
	next <- struct{}{}
	<-s.Done()
	if v := s.Snapshot(); v.State != metrics.Done {
		t.Errorf("%v: %+v", v.State, v.Fault)
	}
}
