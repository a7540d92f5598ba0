package dialect

import (
	"net/http"
	"testing"

	"tokscope/metrics"
)

// Counts are found wherever a server hides them, and those of several choices
// are added.
func TestFinalCounts(t *testing.T) {
	const (
		a, b       = `{"choices":[{"index":0,"delta":{"content":"a"}}]}`, `{"choices":[{"index":1,"delta":{"content":"b"}}]}`
		endA, endB = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
			`{"choices":[{"index":1,"delta":{},"finish_reason":"stop"}]}`
		six = `{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":6,"total_tokens":15}}`
	)
	for _, tt := range []struct {
		name                               string
		events                             []string
		prompt, cached, output, live, from int
	}{
		{"a usage for each choice", []string{a, b, endA, six, b, endB, six}, 9, -1, 12, -1, int(metrics.TokensUsage)},
		{"a usage for all choices", []string{a, b, endA, b, endB, six}, 9, -1, 6, -1, int(metrics.TokensUsage)},
		{"a repeated usage", []string{a, b, endA, endB, six, six}, 9, -1, 6, -1, int(metrics.TokensUsage)},
		{"a repeated usage of one choice", []string{a, endA, six, endA, six}, 9, -1, 6, -1, int(metrics.TokensUsage)},
		{"timings at the finish",
			[]string{a, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"timings":{"prompt_n":1,"cache_n":20,"predicted_n":24}}`}, 21, 20, -1, 24, int(metrics.TokensTimings)},
		{"timings at the finish of each choice", []string{a, b,
			`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"timings":{"predicted_n":24}}`,
			`{"choices":[{"index":1,"delta":{},"finish_reason":"stop"}],"timings":{"predicted_n":8}}`}, -1, -1, -1, 32,
			int(metrics.TokensTimings)},
		{"a prompt without its cached part", []string{a, `{"choices":[],"timings":{"prompt_n":1,"predicted_n":0}}`}, -1, -1,
			-1, -1, 0},
		{"usage before timings", []string{a,
			`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":6,"total_tokens":15},"timings":{"prompt_n":1,"cache_n":1,"predicted_n":24}}`}, 9, -1, 6, -1, int(metrics.TokensUsage)},
		{"Ollama's own names", []string{a, `{"model":"m","done":true,"prompt_eval_count":31,"eval_count":24}`}, 31, -1, 24,
			-1, int(metrics.TokensUsage)},
		{"Ollama's own names in usage", []string{a, `{"choices":[],"usage":{"prompt_eval_count":31,"eval_count":24}}`}, 31,
			-1, 24, -1, int(metrics.TokensUsage)},
		{"Fireworks' prompt", []string{a, `{"choices":[],"perf_metrics":{"prompt-tokens":"21","cached-prompt-tokens":"5"}}`},
			21, 5, -1, -1, 0},
	} {
		d, out := New(), Out{}
		u, live, from := metrics.NoUsage(), -1, metrics.TokensUnknown
		merge := func() {
			if out.Usage != nil {
				u = *out.Usage
			}
			if out.LiveTokens >= 0 {
				live = out.LiveTokens
			}
			if out.TokensFrom != metrics.TokensUnknown {
				from = out.TokensFrom
			}
		}
		for _, doc := range append(tt.events, "[DONE]") {
			d.Event(event(doc), &out)
			merge()
		}
		d.Finish(true, &out)
		merge()
		if u.Prompt != tt.prompt || u.Cached != tt.cached || u.Completion != tt.output || live != tt.live ||
			int(from) != tt.from {
			t.Errorf("%s: prompt %d, cached %d, output %d, live %d, from %v; want %d, %d, %d, %d, %v", tt.name,
				u.Prompt, u.Cached, u.Completion, live, from, tt.prompt, tt.cached, tt.output, tt.live,
				metrics.TokenSource(tt.from))
		}
	}
}

// The prompt of a header counts where no usage came.
func TestPromptOfAHeader(t *testing.T) {
	for _, usage := range []bool{false, true} {
		d, out := New(), Out{}
		d.Header(http.Header{"Fireworks-Prompt-Tokens": {"21"}}, &out)
		d.Event(event(`{"choices":[{"index":0,"delta":{"content":"a"}}]}`), &out)
		prompt := -1
		if usage {
			d.Event(event(`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":6,"total_tokens":15}}`), &out)
			prompt = out.Usage.Prompt
		}
		d.Finish(true, &out)
		if out.Usage != nil {
			prompt = out.Usage.Prompt
		}
		if want := map[bool]int{false: 21, true: 9}[usage]; prompt != want {
			t.Errorf("usage %v: %d prompt tokens, want %d", usage, prompt, want)
		}
	}
}
