package transport

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// A bug in our own code, met on the goroutine on which net/http reads a
// response's head, ends that request with a fault. The program goes on, and so
// does the transport.
func TestPanicInTheTapEndsTheRequest(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		// In one write with the head: the tap meets the line on net/http's goroutine.
		_, _ = w.Write([]byte("data: {\"choices\":[]}\n\n"))
	}))
	defer srv.Close()
	tr := New(NewClock(), Options{})
	defer tr.Close()
	for range 2 {
		broken := NewWaking(tr.clock)
		broken.queue = queue{} // its first line is put into nothing
		f := send(t, tr, srv.URL, broken)
		testkit.That(t, f != nil && f.Kind == metrics.FaultInternal && f.Next != "",
			"%+v, want an internal fault with a next step", f)
	}
	good := NewWaking(tr.clock)
	testkit.Is(t, send(t, tr, srv.URL, good), nil, "the next request fails")
}

// send makes a request for c and returns the fault that ended it, nil for none.
func send(t *testing.T, tr *Transport, url string, c *Capture) *metrics.Fault {
	t.Helper()
	req, err := http.NewRequestWithContext(With(context.Background(), c), http.MethodPost, url, http.NoBody)
	testkit.OK(t, err)
	if resp, err := tr.Do(req); err == nil {
		_ = resp.Body.Close()
	}
	for !c.ended.Load() {
		<-c.Wake()
	}
	_, err = c.End()
	var f *metrics.Fault
	testkit.Given(t, err == nil || errors.As(err, &f), "%v is no fault", err)
	return f
}
