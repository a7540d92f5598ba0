package dialect

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

func TestChat(t *testing.T) {
	zero, seed := 0.0, 7
	for _, r := range []struct {
		name string
		p    Params
		w    metrics.Workload
		want string
	}{
		{"bare", Params{}, metrics.Workload{Prompt: "hi", MaxTokens: 9},
			`{"messages":[{"role":"user","content":"hi"}],"model":"m","stream":true}`},
		{"usual", Params{IncludeUsage: true, MaxField: "max_tokens"}, metrics.Workload{System: "be brief", Prompt: "hi",
			MaxTokens: 200},
			`{"max_tokens":200,"messages":[{"role":"system","content":"be brief"},{"role":"user","content":"hi"}],` +
				`"model":"m","stream":true,"stream_options":{"include_usage":true}}`},
		{"temperature zero and a seed are sent", Params{MaxField: "max_completion_tokens"}, metrics.Workload{Prompt: "hi",
			Temperature: &zero, Seed: &seed, MaxTokens: 1},
			`{"max_completion_tokens":1,"messages":[{"role":"user","content":"hi"}],` +
				`"model":"m","seed":7,"stream":true,"temperature":0}`},
		{"given up", Params{NoTemperature: true, NoSeed: true}, metrics.Workload{Prompt: "hi", Temperature: &zero,
			Seed: &seed}, `{"messages":[{"role":"user","content":"hi"}],"model":"m","stream":true}`},
		{"no bound", Params{MaxField: "max_tokens"}, metrics.Workload{Prompt: "hi"},
			`{"messages":[{"role":"user","content":"hi"}],"model":"m","stream":true}`},
		{"everything", Params{IncludeUsage: true, ContinuousUsage: true, NoObfuscation: true, Timings: true, Progress: true,
			Logprobs: true, TokenIDs: true}, metrics.Workload{Prompt: "hi"},
			`{"logprobs":true,"messages":[{"role":"user","content":"hi"}],` +
				`"model":"m","return_progress":true,"return_token_ids":true,"stream":true,` +
				`"stream_options":{"continuous_usage_stats":true,"include_obfuscation":false,"include_usage":true},"timings_per_token":true}`},
		{"continuous usage needs usage", Params{ContinuousUsage: true}, metrics.Workload{Prompt: "hi"},
			`{"messages":[{"role":"user","content":"hi"}],"model":"m","stream":true}`},
	} {
		t.Run(r.name, func(t *testing.T) {
			_, got, err := chat.Write(&r.p, "m", &r.w, nil)
			testkit.That(t, err == nil && string(got) == r.want, "%v\ngot  %s\nwant %s", err, got, r.want)
		})
	}
}

func TestRetry(t *testing.T) {
	usual := Params{IncludeUsage: true, MaxField: "max_tokens"}
	without := func(change func(*Params)) Params {
		p := usual
		change(&p)
		return p
	}
	for _, r := range []struct {
		name   string
		p      Params
		status int
		body   string
		next   Params
		code   string // "" = no retry
	}{
		{"usage refused", usual, 400,
			`{"error":{"message":"Unrecognized request argument supplied: stream_options","type":"invalid_request_error"}}`,
			Params{MaxField: "max_tokens"}, "usage_refused"},
		{"usage refused by a pydantic server", usual, 422,
			`{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted","input":{"include_usage":true}}]}`, Params{MaxField: "max_tokens"}, "usage_refused"},
		{"usage refused by Mistral's kind", usual, 422,
			`{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]},"type":"invalid_request_error"}`, Params{MaxField: "max_tokens"}, "usage_refused"},
		{"usage refused in plain text", usual, 400, `unknown field "stream_options"`, Params{MaxField: "max_tokens"},
			"usage_refused"},
		{"max_tokens refused", usual, 400,
			`{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`,
			without(func(p *Params) { p.MaxField, p.swapped = "max_completion_tokens", true }), "max_completion_tokens"},
		{"max_completion_tokens refused", Params{MaxField: "max_completion_tokens"}, 422,
			`{"detail":[{"type":"extra_forbidden","loc":["body","max_completion_tokens"],"msg":"Extra inputs are not permitted"}]}`,
			Params{MaxField: "max_tokens", swapped: true}, "max_tokens"},
		{"the narrowest first", without(func(p *Params) { p.ContinuousUsage = true }), 422,
			`{"detail":[{"type":"extra_forbidden","loc":["body","stream_options","continuous_usage_stats"],"msg":"Extra inputs are not permitted"}]}`, usual, "continuous_usage_refused"},
		{"obfuscation", without(func(p *Params) { p.NoObfuscation = true }), 400,
			`{"error":{"message":"Unknown parameter: 'stream_options.include_obfuscation'.","param":"stream_options.include_obfuscation","code":"unknown_parameter"}}`, usual, "obfuscation_refused"},
		{"timings", without(func(p *Params) { p.Timings = true }), 400,
			`{"error":{"message":"property 'timings_per_token' is unsupported"}}`, usual, "timings_refused"},
		{"progress", without(func(p *Params) { p.Progress = true }), 400,
			`{"error":{"message":"property 'return_progress' is unsupported"}}`, usual, "progress_refused"},
		{"token ids", without(func(p *Params) { p.TokenIDs = true }), 400,
			`{"error":{"message":"return_token_ids: Extra inputs are not permitted"}}`, usual, "token_ids_refused"},
		{"logprobs", without(func(p *Params) { p.Logprobs = true }), 400,
			`{"error":{"message":"logprobs is not supported with this model","param":"logprobs"}}`, usual, "logprobs_refused"},
		{"temperature", usual, 400,
			`{"error":{"message":"Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.","param":"temperature","code":"unsupported_value"}}`, without(func(p *Params) { p.NoTemperature = true }), "temperature_refused"},
		{"seed", usual, 400, `{"error":{"message":"property 'seed' is unsupported"}}`,
			without(func(p *Params) { p.NoSeed = true }), "seed_refused"},

		{"too large a value is no refusal", usual, 400,
			`{"error":{"message":"max_tokens is too large: 900000. This model supports at most 16384 completion tokens","param":"max_tokens","code":"invalid_value"}}`, usual, ""},
		{"another field", usual, 400, `{"error":{"message":"Unsupported parameter: 'tools'","param":"tools"}}`, usual, ""},
		{"the request echoed", usual, 422,
			`{"detail":[{"type":"missing","loc":["body","model"],"msg":"Field required","input":{"stream_options":{"include_usage":true},"error":"unsupported"}}]}`, usual, ""},
		{"not sent", Params{}, 400, `{"error":{"message":"Unrecognized request argument supplied: stream_options"}}`,
			Params{}, ""},
		{"another status", usual, 500, `{"error":{"message":"Unrecognized request argument supplied: stream_options"}}`,
			usual, ""},
		{"no body", usual, 400, ``, usual, ""},
	} {
		t.Run(r.name, func(t *testing.T) {
			next, note, ok := Retry(r.p, r.status, []byte(r.body))
			testkit.That(t, ok == (r.code != "") && note.Code == r.code && next == r.next, "%v %+v\n%+v", ok, note, next)
			testkit.That(t, !ok || note.Text != "", "nothing is said")
		})
	}
}

// TestRetryEnds: a server that refuses everything is asked a bounded number of times.
func TestRetryEnds(t *testing.T) {
	p := Params{IncludeUsage: true, ContinuousUsage: true, MaxField: "max_tokens", NoObfuscation: true, Timings: true,
		Progress: true, Logprobs: true, TokenIDs: true}
	body := []byte(`unknown fields: stream_options include_usage include_obfuscation continuous_usage_stats max_tokens max_completion_tokens timings_per_token return_progress logprobs return_token_ids temperature seed`)
	for n := 0; ; n++ {
		next, _, ok := Retry(p, 400, body)
		if !ok {
			testkit.That(t, n == len(refusals), "given up after %d", n)
			return
		}
		testkit.Given(t, n <= len(refusals), "does not end")
		p = next
	}
}
