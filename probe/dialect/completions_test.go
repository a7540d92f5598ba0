package dialect

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// TestCompletions: the request has the prompt as one text, with what go-openai's type lacks,
// and no conversation, tool or echo is sent.
func TestCompletions(t *testing.T) {
	zero, seed := 0.0, 7
	a := Speaks("completions")
	for _, r := range []struct {
		name  string
		p     Params
		w     metrics.Workload
		extra map[string]any
		want  string // "" is refused
	}{
		{"usual", Params{IncludeUsage: true, MaxField: "max_tokens"}, metrics.Workload{Prompt: "Once", MaxTokens: 9,
			Temperature: &zero, Seed: &seed}, nil,
			`{"max_tokens":9,"model":"m","prompt":"Once","seed":7,"stream":true,"stream_options":{"include_usage":true},"temperature":0}`},
		{"with a system text", Params{}, metrics.Workload{System: "A tale.", Prompt: "Once"}, nil,
			`{"model":"m","prompt":"A tale.\n\nOnce","stream":true}`},
		{"given up", Params{NoTemperature: true, NoSeed: true}, metrics.Workload{Prompt: "Once", Temperature: &zero,
			Seed: &seed}, nil, `{"model":"m","prompt":"Once","stream":true}`},
		{"messages", Params{}, metrics.Workload{Messages: `[{"role":"user","content":"hi"}]`}, nil, ""},
		{"tools", Params{}, metrics.Workload{Prompt: "Once", Tools: `[{"type":"function"}]`}, nil, ""},
		{"echo", Params{}, metrics.Workload{Prompt: "Once"}, map[string]any{"echo": true}, ""},
		{"no echo", Params{}, metrics.Workload{Prompt: "Once"}, map[string]any{"echo": false},
			`{"echo":false,"model":"m","prompt":"Once","stream":true}`},
	} {
		_, body, err := a.Write(&r.p, "m", &r.w, r.extra)
		f, _ := err.(*metrics.Fault)
		testkit.That(t, string(body) == r.want && (err == nil) == (r.want != "") && (err == nil || f != nil && f.Next != ""),
			"%s: %v\ngot  %s\nwant %s", r.name, err, body, r.want)
	}
}

// TestCompletionsEvents: the text stands in the choice itself. Counts and the end come as in
// chat, together or apart, and an error before [DONE] is the end.
func TestCompletionsEvents(t *testing.T) {
	text := func(s, more string) string {
		return `{"id":"c1","object":"text_completion","model":"m","choices":[{"index":0,"text":"` + s + `"` + more + `}]`
	}
	for _, r := range []struct {
		name string
		body []byte
		want string
	}{
		{"usage apart", data(text("Once ", `,"finish_reason":null,"logprobs":null`)+`,"usage":null}`, text("upon.", ``)+`}`,
			text("", `,"finish_reason":"length"`)+`}`,
			`{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}}`, "[DONE]"),
			"1: choices | content \"Once \" | id c1 | model m\n2: choices | content \"upon.\" | model m\n3: choices | finish " +
				"length | model m\n" +
				"4: usage prompt 3 completion 4 total 7 | from server usage\n5: done\nall content: \"Once upon.\"\n"},
		{"usage on the last", data(text("a", ``)+`}`,
			text("", `,"finish_reason":"stop"`)+`,"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}`,
			"[DONE]"),
			"1: choices | content \"a\" | id c1 | model m\n2: choices | usage prompt 3 completion 1 total 4 | from server " +
				"usage | finish stop | model m\n3: done\nall content: \"a\"\n"},
		{"token ids of vLLM", data(text("ab", `,"token_ids":[5,6,7],"stop_reason":null`)+`}`,
			text("", `,"finish_reason":"stop","stop_reason":7`)+`}`, "[DONE]"),
			"1: choices | content \"ab\" = 3 tokens | from token ids | id c1 | model m\n2: choices | finish stop | model " +
				"m\n3: done\nall content: \"ab\"\n"},
		{"thinking in tags", data(text("<think>why", ``)+`}`, text("</think>so", ``)+`}`, "[DONE]"),
			"1: choices | reasoning \"<think>why\" | id c1 | model m\n2: choices | reasoning \"</think>\" | content \"so\" | " +
				"model m\n3: done\nall content: \"so\"\nall reasoning: \"<think>why</think>\"\n"},
		{"an error, then the end",
			data(text("a", ``)+`}`, `{"error":{"message":"engine died","type":"InternalServerError","code":500}}`, "[DONE]"),
			"1: choices | content \"a\" | id c1 | model m\n2: FAULT in_stream status 500 code \"InternalServerError\": the " +
				"server sent an error in the stream: engine died: the server failed: try again, and look at its log\n3: " +
				"done\nall content: \"a\"\n"},
		{"cut off", data(text("a", ``) + `}`),
			"1: choices | content \"a\" | id c1 | model m\nend: FAULT truncated status 0 code \"\": the stream ended without " +
				"a finish reason and without [DONE]: try again; some servers end like this after an error: look at the server's " +
				"log\nall content: \"a\"\n"},
	} {
		got := replay(t, nil, r.body)
		testkit.That(t, got == r.want, "%s:\n%s\nwant\n%s", r.name, got, r.want)
	}
}
