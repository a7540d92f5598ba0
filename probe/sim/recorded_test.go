package sim

import (
	"encoding/json"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// TestRecorded: the whole answer of a recording has what its stream has, each in its field and
// in its order, and nothing that the stream does not tell.
func TestRecorded(t *testing.T) {
	type chunk struct {
		kind metrics.Kind
		name string
		text string
	}
	for _, tt := range []struct {
		name   string
		chunks []chunk
		finish string
		usage  metrics.Usage
		want   string // fields of the message and of the usage, as compact JSON
	}{
		{"two calls in pieces", []chunk{{metrics.Content, "", "I look."}, {metrics.ToolCall, "weather", ""},
			{metrics.ToolCall, "", `{"city":`}, {metrics.ToolCall, "", `"Ulm"}`}, {metrics.ToolCall, "clock", "{}"}},
			"tool_calls", metrics.Usage{Prompt: 20, Completion: 9, Reasoning: -1, Cached: 16, Total: 29},
			`"content":"I look." | "name":"weather","arguments":"{\"city\":\"Ulm\"}" | "name":"clock","arguments":"{}" | "finish_reason":"tool_calls" | "prompt_tokens_details":{"cached_tokens":16}`},
		{"a call alone, after reasoning", []chunk{{metrics.Reasoning, "", "hm"}, {metrics.ToolCall, "f", `{"a":1}`}},
			"tool_calls", metrics.Usage{Prompt: 3, Completion: 40, Reasoning: 31, Cached: -1, Total: -1},
			`"content":null | "reasoning_content":"hm" | "type":"function" | "usage":{"prompt_tokens":3,"total_tokens":43,"completion_tokens":40 | "completion_tokens_details":{"reasoning_tokens":31} | "total_tokens":43`},
		{"a refusal", []chunk{{metrics.Refusal, "", "I can"}, {metrics.Refusal, "", "not."}}, "stop", metrics.NoUsage(),
			`"content":null | "refusal":"I cannot." | "usage":null | "finish_reason":"stop"`},
		{"speech", []chunk{{metrics.Audio, "", "hi"}, {metrics.Audio, "", ""}, {metrics.Audio, "", " you"}}, "stop",
			metrics.Usage{Prompt: 1, Completion: 160, Reasoning: -1, Cached: -1, Total: -1},
			`"content":null | "transcript":"hi you" | "completion_tokens":160`},
		{"text", []chunk{{metrics.Content, "", "a"}, {metrics.Content, "", " b"}}, "length",
			metrics.Usage{Prompt: 1, Completion: 2, Reasoning: -1, Cached: 0, Total: -1},
			`"content":"a b" | "finish_reason":"length" | "total_tokens":3`},
	} {
		v := metrics.NoStream(0)
		v.Finish, v.Usage = tt.finish, tt.usage
		for _, c := range tt.chunks {
			v.Text = append(append(v.Text, c.name...), c.text...)
			v.Chunks = append(v.Chunks, metrics.Chunk{Kind: c.kind, Name: uint16(len(c.name)), TextEnd: int32(len(v.Text)),
				Tokens: -1})
		}
		_, got := Recorded(&v, "m")
		testkit.That(t, json.Valid(got), "%s: %s", tt.name, got)
		for part := range strings.SplitSeq(tt.want, " | ") {
			testkit.That(t, strings.Contains(string(got), part), "%s: no %s in\n%s", tt.name, part, got)
		}
	}
}
