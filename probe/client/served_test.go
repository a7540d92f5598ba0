package client_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/metrics/verdict"
	"tokscope/probe/client"
)

// TestServed: what a gateway says of a request is kept, and said where it differs from
// what was asked.
func TestServed(t *testing.T) {
	for _, c := range []struct {
		name    string
		asked   map[string]any
		headers []string
		events  []string
		want    metrics.Served
		id      string
		cache   int
		codes   []verdict.Code // of the findings that say so
	}{
		{"tier of OpenAI", map[string]any{"service_tier": "priority"}, nil,
			[]string{`{"id":"c1","service_tier":"default","choices":[{"delta":{"content":"a"}}]}`},
			metrics.Served{Service: metrics.Service{Tier: "default"}}, "c1", 0, []verdict.Code{verdict.OtherTier}},
		{"tier of the last event", map[string]any{"service_tier": "flex"}, nil,
			[]string{`{"id":"k","choices":[],"service_tier":null}`,
				`{"id":"c2","service_tier":"auto","choices":[{"delta":{"content":"a"}}]}`,
				`{"id":"c2","service_tier":"flex","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":0,"cache_write_tokens":7}}}`},
			metrics.Served{Service: metrics.Service{Tier: "flex"}}, "c2", 7, nil},
		{"speed of Anthropic", map[string]any{"speed": "fast"}, []string{"Request-Id", "req_9"},
			[]string{`{"type":"message_start","message":{"id":"m","model":"x","usage":{"input_tokens":5,"output_tokens":1,"cache_creation_input_tokens":40,"service_tier":"standard","speed":"standard","inference_geo":"us"}}}`, `{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}`},
			metrics.Served{Service: metrics.Service{Tier: "standard", Speed: "standard"}, Region: "us"}, "req_9", 40,
			[]verdict.Code{verdict.OtherTier}},
		{"attempts of LiteLLM", nil, []string{"x-litellm-attempted-fallbacks", "1", "x-litellm-attempted-retries", "2",
			"x-litellm-model-id", "d-7", "x-litellm-call-id", "call"},
			[]string{`{"id":"c3","choices":[{"delta":{"content":"a"}}]}`},
			metrics.Served{Deployment: "d-7", Fallbacks: 1, Retries: 2}, "call", 0, []verdict.Code{verdict.Attempts}},
		{"no attempts, a region", nil, []string{"x-litellm-attempted-retries", "0", "x-groq-region", "fra"},
			[]string{`{"id":"alive","choices":[{"delta":{}}]}`, `{"id":"c4","choices":[{"delta":{"content":"a"}}]}`},
			metrics.Served{Region: "fra"}, "c4", 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				for i := 0; i < len(c.headers); i += 2 {
					w.Header().Set(c.headers[i], c.headers[i+1])
				}
				w.Header().Set("Content-Type", "text/event-stream")
				for _, e := range append(c.events, `{"choices":[{"delta":{},"finish_reason":"stop"}]}`) {
					_, _ = fmt.Fprintf(w, "data: %s\n\n", e)
				}
				_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
			}))
			defer srv.Close()
			e := client.New(client.Options{})
			defer e.Close()
			target := targetAt(srv.URL + "/v1")
			target.Extra = c.asked
			s := e.Start(t.Context(), target, metrics.Workload{Prompt: "x", MaxTokens: 5})
			<-s.Done()
			r := s.Run(metrics.Pace{})
			v := &r.Stream
			if v.Served != c.want || v.RequestID != c.id || v.Usage.CacheWritten != c.cache || v.State != metrics.Done {
				t.Errorf("%v: %+v, id %q, %d written", v.State, v.Served, v.RequestID, v.Usage.CacheWritten)
			}
			var codes []verdict.Code
			for _, f := range verdict.Of(verdict.Input{Stream: v, Figures: &r.Figures, Now: v.Marks.End}) {
				if f.Code == verdict.OtherTier || f.Code == verdict.Attempts {
					codes = append(codes, f.Code)
				}
			}
			testkit.That(t, slices.Equal(codes, c.codes), "found %v, want %v", codes, c.codes)
		})
	}
}
