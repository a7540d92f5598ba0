package dialect

import (
	"encoding/json"
	"testing"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"tokscope/metrics/testkit"
	"tokscope/probe/sse"
)

var benchEvents = []struct{ name, doc string }{
	{"openai", `{"id":"chatcmpl-Bx1","object":"chat.completion.chunk","created":1790000000,"model":"gpt-x-2026-07-01","service_tier":"default","system_fingerprint":"fp_77","choices":[{"index":0,"delta":{"content":" morning"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"k8s7Qpz"}`},
	{"vllm", `{"id":"chatcmpl-9","object":"chat.completion.chunk","created":1790000000,"model":"q/large","choices":[{"index":0,"delta":{"reasoning":" the"},"logprobs":null,"finish_reason":null,"token_ids":null}],"usage":{"prompt_tokens":20,"total_tokens":25,"completion_tokens":5}}`},
	{"llama.cpp", `{"choices":[{"finish_reason":null,"index":0,"delta":{"content":"haxx"}}],"created":1795176451,"id":"chatcmpl-Y23LryJ26ixhZme2TqduDNpBcvfPBMzW","model":"mid","system_fingerprint":"b11669-Debian","object":"chat.completion.chunk","timings":{"cache_n":0,"prompt_n":21,"prompt_ms":52.077,"prompt_per_token_ms":2.47,"prompt_per_second":403.2,"predicted_n":3,"predicted_ms":8.784,"predicted_per_token_ms":2.92,"predicted_per_second":341.5}}`},
}

// BenchmarkBudget checks the budget of an event, framing and decoding
// together: 1.5 µs on a machine where encoding/json decodes it into
// go-openai's struct in 3.5 to 4.5 µs. That is 0.33 to 0.43 of it. The
// slowest event takes 0.20. The limit leaves room for a fifth more.
func BenchmarkBudget(b *testing.B) {
	const most = 0.25
	for _, e := range benchEvents {
		b.Run(e.name, func(b *testing.B) {
			d, out, asm := New(), Out{}, sse.Assembler{}
			line := sse.Line{Data: []byte("data: " + e.doc)}
			emit := func(ev sse.Event) { d.Event(ev, &out) }
			ours := func() {
				asm.Push(line, emit)
				asm.Push(sse.Line{}, emit)
			}
			data := []byte(e.doc)
			theirs := func() {
				var r openai.ChatCompletionStreamResponse
				testkit.OK(b, json.Unmarshal(data, &r))
			}
			for b.Loop() {
				r := testkit.Ratio(time.Now, ours, theirs)
				b.ReportMetric(r, "of-json")
				if r > most {
					b.Fatalf("framing and decoding takes %.2f of what encoding/json does, more than %v", r, most)
				}
			}
			if len(out.Deltas) != 1 {
				b.Fatalf("%d chunks decoded", len(out.Deltas))
			}
		})
	}
}

// TestEventAllocations holds the budget where it does not depend on the machine.
func TestEventAllocations(t *testing.T) {
	for _, e := range benchEvents {
		d, out, ev := New(), Out{}, sse.Event{Data: []byte(e.doc)}
		d.Event(ev, &out) // the first event of a stream may take memory
		most := 0.0
		if e.name == "vllm" {
			most = 2 // a new usage and its raw text, for the caller to keep
		}
		testkit.Allocates(t, most, 100, func() { d.Event(ev, &out) }, e.name)
	}
}
