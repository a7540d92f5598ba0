package loadgen

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
)

// TestPlanObeysLimits: with nothing left of a limit, nothing is sent until its reset,
// after a refusal and after a good answer; a long one ends the plan.
func TestPlanObeysLimits(t *testing.T) {
	const answer = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: " +
		"{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	for _, c := range []struct {
		name    string
		status  int
		headers []string
		body    string
		wait    time.Duration // before the second request
		sent    int           // of 3
		users   int
	}{
		{"refused, a reset in headers", 429, []string{"x-ratelimit-remaining-requests", "0", "x-ratelimit-reset-requests",
			"400ms"}, "", 400 * time.Millisecond, 3, 1},
		{"refused, a reset in the body", 429, nil, `{"error":{"message":"Please try again in 0.3s."}}`,
			300 * time.Millisecond, 3, 1},
		{"good, and nothing is left", 200, []string{"RateLimit", `"a";r=0;t=1`}, answer, time.Second, 3, 1},
		{"two users hold together", 200, []string{"x-ratelimit-remaining", "0", "x-ratelimit-timeremaining", "0.5"}, answer,
			500 * time.Millisecond, 3, 2},
		{"seven minutes", 429, []string{"x-ratelimit-remaining-requests", "0", "x-ratelimit-reset-requests", "7m12s"}, "", 0,
			1, 1},
		{"good, and the day is used up", 200, []string{"x-ratelimit-remaining-tokens-day", "0",
			"x-ratelimit-reset-tokens-day", "3600"}, answer, 0, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var sent []time.Time
			var first sync.WaitGroup // of each user, all of which have come before one is answered
			first.Add(c.users)
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				mu.Lock()
				sent = append(sent, time.Now())
				n := len(sent)
				mu.Unlock()
				status, body := c.status, c.body
				if n > c.users {
					status, body = http.StatusOK, answer
				} else {
					first.Done()
					first.Wait()
					for i := 0; i < len(c.headers); i += 2 {
						w.Header().Set(c.headers[i], c.headers[i+1])
					}
				}
				if status == http.StatusOK {
					w.Header().Set("Content-Type", "text/event-stream")
				}
				w.WriteHeader(status)
				_, _ = fmt.Fprint(w, body)
			}))
			defer srv.Close()
			e := client.New(client.Options{})
			defer e.Close()
			held := false
			runs := Run(context.Background(), e, Plan{Requests: 3, Concurrency: c.users, Work: metrics.Workload{Prompt: "x",
				MaxTokens: 5},
				Target: endpoint.Target{Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, URL: srv.URL + "/v1", Model: "m"},
					Auth: endpoint.AuthNone, Server: "x"},
				Held: func(time.Duration) { held = true }})
			mu.Lock()
			defer mu.Unlock()
			if len(sent) != c.sent || len(runs) != c.sent || held != (c.wait > 0) {
				t.Fatalf("%d sent, %d runs, held %v, want %d", len(sent), len(runs), held, c.sent)
			}
			if c.sent > 1 {
				if wait := sent[c.users].Sub(sent[c.users-1]); wait < c.wait*9/10 {
					t.Errorf("sent after %v, want %v", wait, c.wait)
				}
			}
		})
	}
}
