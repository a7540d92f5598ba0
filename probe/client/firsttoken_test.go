package client_test

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
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
		for deadline := time.Now().Add(20 * time.Second); (v.Events < want.events || v.DataBound != want.bound) &&
			time.Now().Before(deadline); v = s.Snapshot() {
			time.Sleep(time.Millisecond)
		}
		testkit.That(t, v.Events == want.events && v.DataBound == want.bound,
			"after %d events the bound is %q, want %q", v.Events, v.DataBound, want.bound)
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
	bounds.FirstToken = time.Minute         // the shortest of the bounds
	for _, step := range []int{100, 7, 0} { // tokens of each report
		t.Run(fmt.Sprint(step), func(t *testing.T) {
			t.Parallel()
			next := make(chan struct{})
			_, target := newClosing(t, func(s *closing, c net.Conn, _ int) bool {
				_, _ = fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
				for i := range 4 {
					_, _ = fmt.Fprintf(c, `data: {"choices":[],"prompt_progress":{"total":900,"cache":0,"processed":%d,"time_ms":9}}`+"\n\n", 5+i*step)
					<-next
				}
				_, _ = fmt.Fprint(c, `data: {"choices":[{"index":0,"delta":{"content":"word"},"finish_reason":"stop"}]}`+"\n\n")
				return false
			})
			e := newEngine(t, client.Options{Bounds: bounds})
			s := e.StartQuiet(context.Background(), target, metrics.Workload{Prompt: "x"})
			var ends []metrics.Stamp // of the bound, after each report
			for range 4 {
				v := s.Snapshot()
				for v.State != metrics.Failed && v.Events <= len(ends) {
					time.Sleep(time.Millisecond)
					v = s.Snapshot()
				}
				testkit.That(t, v.DataBound == "time to first token" && v.DataDeadline <= v.Progress.At+metrics.Stamp(time.Minute),
					"the bound is %q, %d ns after the report", v.DataBound, v.DataDeadline-v.Progress.At)
				ends = append(ends, v.DataDeadline)
				next <- struct{}{}
			}
			<-s.Done()
			if v := s.Snapshot(); v.State != metrics.Done {
				t.Errorf("%v: %+v", v.State, v.Fault)
			}
			for i := range 3 {
				if longer := ends[i+1] > ends[i]; longer != (step > 0) {
					t.Errorf("report %d: the bound ended at %d and ends at %d", i+2, ends[i], ends[i+1])
				}
			}
		})
	}
}
