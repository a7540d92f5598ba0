package client_test

import (
	"context"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/dialect"
	"tokscope/probe/endpoint"
	"tokscope/probe/sim"
)

// TestEmbeddedEndpointInEveryAPI: what the embedded endpoint writes in an API is read as the
// same text, tokens and end as in chat.
func TestEmbeddedEndpointInEveryAPI(t *testing.T) {
	e, embedded := demoOf(t, sim.Options{Speed: 50})
	for _, model := range []string{sim.DefaultModel, "qwen3-8b@h100"} {
		var want metrics.Stream
		for _, api := range dialect.Names() {
			r := &endpoint.Resolver{Flags: endpoint.Flags{API: api, Model: model}}
			target := testkit.Must(r.Resolve(strings.TrimSuffix(embedded.URL, "/v1")))(t)
			v := ended(e.Start(context.Background(), target, metrics.Workload{System: "s",
				Prompt: "Why is the first token late?", MaxTokens: 90}))
			if v.State != metrics.Done || v.Fault != nil || v.Usage.Completion != 90 {
				t.Errorf("%s of %s: state %v, %d tokens, %v", model, api, v.State, v.Usage.Completion, v.Fault)
				continue
			}
			switch {
			case want.Text == nil:
				want = v
			case api == "completions": // no system, no thoughts
			case api == "gemini" && want.Usage.Reasoning > 0: // it does not ask for the thoughts
				if !strings.HasSuffix(string(want.Text), string(v.Text)) || v.Usage.Reasoning != want.Usage.Reasoning ||
					len(v.Chunks) != 90-want.Usage.Reasoning {
					t.Errorf("%s of %s: %d chunks, usage %+v, %q", model, api, len(v.Chunks), v.Usage, v.Text)
				}
			case string(v.Text) != string(want.Text) || v.Usage.Prompt != want.Usage.Prompt || len(v.Chunks) != len(want.Chunks):
				t.Errorf("%s of %s: prompt %d, %d chunks, %q\nin chat %d, %d, %q", model, api,
					v.Usage.Prompt, len(v.Chunks), v.Text, want.Usage.Prompt, len(want.Chunks), want.Text)
			}
		}
	}
}
