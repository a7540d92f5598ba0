package app_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// TestOtherUser checks that another user's prompt reaches the embedded endpoint
// and is no run of the session, and that no other endpoint gets one.
func TestOtherUser(t *testing.T) {
	t.Parallel() // most of it is waiting
	s, _ := open(t)
	changed := make(chan struct{}, 100)
	s.SetNotify(func() { changed <- struct{}{} })
	s.Begin(metrics.Workload{Prompt: "a", MaxTokens: 100})
	testkit.Given(t, s.OtherUser(3000), "the embedded endpoint gets no other user")
	until(t, changed, func() bool { return len(s.Runs()) == 1 })
	for limit := time.Now().Add(20 * time.Second); promptTokens(t, s.Endpoint().URL) < 3000; {
		testkit.Given(t, !time.Now().After(limit), "the other user's prompt did not arrive")
		time.Sleep(10 * time.Millisecond)
	}
	s.Begin(metrics.Workload{Prompt: "b", MaxTokens: 3})
	until(t, changed, func() bool { return len(s.Runs()) == 2 })
	testkit.Is(t, s.Runs()[1].Stream.ID, 2, "the second run has the number")
	testkit.OK(t, s.Select(metrics.Endpoint{Kind: metrics.EndpointURL, Name: "x", URL: "http://127.0.0.1:9/v1"}))
	testkit.That(t, !s.OtherUser(3000), "another endpoint got a request that nobody asked for")
}

// promptTokens is what the endpoint has counted.
func promptTokens(t *testing.T, base string) (n float64) {
	t.Helper()
	resp := testkit.Must(http.Get(strings.TrimSuffix(base, "/v1") + "/metrics"))(t)
	defer resp.Body.Close()
	defer http.DefaultClient.CloseIdleConnections()
	text := testkit.Must(io.ReadAll(resp.Body))(t)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "vllm:prompt_tokens_total") {
			var v float64
			if _, err := fmt.Sscan(strings.TrimSpace(line[strings.LastIndexByte(strings.TrimSpace(line), ' '):]),
				&v); err == nil {
				n += v
			}
		}
	}
	return n
}
