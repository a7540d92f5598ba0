package client_test

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/probe/client"
	"tokscope/probe/transport"
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

// Progress of the prefill prolongs the bound of the first token while it grows.
func TestProgressProlongsTheFirstToken(t *testing.T) {
	bounds := transport.DefaultBounds()
	bounds.FirstToken = time.Second
	for _, tt := range []struct {
		step  int // tokens of each report
		bound string
	}{{100, ""}, {7, ""}, {0, "time to first token 1 s"}} {
		t.Run(fmt.Sprint(tt.step), func(t *testing.T) {
			t.Parallel()
			_, target := newClosing(t, func(s *closing, c net.Conn, _ int) bool {
				_, _ = fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
				for i := range 8 {
					time.Sleep(250 * time.Millisecond)
					_, _ = fmt.Fprintf(c, `data: {"choices":[],"prompt_progress":{"total":900,"cache":0,"processed":%d,"time_ms":9}}`+"\n\n", 5+i*tt.step)
				}
				_, _ = fmt.Fprint(c, `data: {"choices":[{"index":0,"delta":{"content":"word"},"finish_reason":"stop"}]}`+"\n\n")
				return false
			})
			e := newEngine(t, client.Options{Bounds: bounds})
			v := ended(e.StartQuiet(context.Background(), target, metrics.Workload{Prompt: "x"}))
			bound := ""
			if v.Fault != nil {
				bound = v.Fault.Bound
			}
			if bound != tt.bound {
				t.Errorf("%v by %q, want %q", v.State, bound, tt.bound)
			}
		})
	}
}
