package client_test

import (
	"context"
	"testing"

	"tokscope/metrics"
	"tokscope/probe/client"
)

// Groq sends its times in usage and again in x_groq.usage: each counts once.
func TestTimesSentTwice(t *testing.T) {
	const usage = `{"prompt_tokens":8,"completion_tokens":9,"queue_time":0.001,"prompt_time":0.002,"completion_time":0.03,"total_time":0.032}`
	srv := streaming(t, `{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}],"x_groq":{"usage":`+usage+"}}",
		`{"choices":[],"usage":`+usage+"}", "[DONE]")
	e := newEngine(t, client.Options{})
	if v := ended(e.Start(context.Background(), targetAt(srv.URL), metrics.Workload{Prompt: "x",
		MaxTokens: 4})); len(v.Server) != 4 {
		t.Errorf("%d server times: %+v; fault %+v", len(v.Server), v.Server, v.Fault)
	}
}
