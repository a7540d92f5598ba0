package client_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
)

// TestTheHeadOfAResponseIsKept checks the head of a stream and that of a refusal:
// sorted, bounded, and without cookies and keys. Without a response there is no
// head.
func TestTheHeadOfAResponseIsKept(t *testing.T) {
	const key = "sk-the-key-of-this-test-0123456789"
	var status, fields atomic.Int64
	status.Store(http.StatusTooManyRequests)
	fields.Store(3)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Retry-After", "7")
		h.Set("Set-Cookie", "session=secret")
		h.Set("Www-Authenticate", "Bearer")
		h.Set("X-Echo", r.Header.Get("Authorization"))
		h.Set("X-Long", strings.Repeat("x", 5000))
		for i := range int(fields.Load()) {
			h.Set(fmt.Sprintf("A-%02d", i), "value")
		}
		if status.Load() == http.StatusOK {
			h.Set("Content-Type", "text/event-stream")
		}
		w.WriteHeader(int(status.Load()))
		fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\"word\"}}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(srv.Close)
	e := client.New(client.Options{})
	t.Cleanup(e.Close)
	send := func(url string) metrics.Stream {
		r := endpoint.Resolver{Env: func(n string) string { return map[string]string{"MINE": key}[n] },
			Flags: endpoint.Flags{APIKeyEnv: "MINE", Model: "m"}}
		target := testkit.Must(r.Resolve(url))(t)
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		s := e.Start(ctx, target, metrics.Workload{Prompt: "Hello", MaxTokens: 4})
		<-s.Done()
		return s.Snapshot()
	}
	v := send(srv.URL + "/v1")
	h := v.Head
	testkit.Given(t, h != nil && h.Status == 429 && h.Reason == "Too Many Requests" && h.Proto == "HTTP/1.1",
		"the head is %+v, the fault %v", h, v.Fault)
	names := []string{}
	for _, f := range h.Fields {
		names = append(names, f.Name)
		testkit.That(t, !strings.Contains(f.Value, key), "%s shows the key", f.Name)
		testkit.That(t, !strings.Contains(f.Value, "session=") && len(f.Value) <= 600, "%s is %q", f.Name, f.Value)
	}
	testkit.That(t, slices.IsSorted(names) && slices.Contains(names, "Retry-After") && slices.Contains(names, "X-Echo"),
		"the fields are %q", names)
	testkit.Same(t, h.Withheld, []string{"Set-Cookie", "Www-Authenticate"}, "withheld")
	fields.Store(90)
	if h := send(srv.URL + "/v1").Head; len(h.Fields) != 64 || h.More < 26 {
		t.Errorf("%d fields and %d more", len(h.Fields), h.More)
	}
	status.Store(http.StatusOK)
	fields.Store(3)
	if v := send(srv.URL + "/v1"); v.State != metrics.Done && v.State != metrics.Truncated || v.Head == nil ||
		v.Head.Status != 200 {
		t.Errorf("a stream has the head %+v (%v, %v)", v.Head, v.State, v.Fault)
	}
	srv.Close()
	if v := send(srv.URL + "/v1"); v.Fault == nil || v.Head != nil {
		t.Errorf("without a response the head is %+v (%v)", v.Head, v.Fault)
	}
}
