package dialect

import (
	"fmt"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/sse"
)

// event makes an event of a document.
func event(doc string) sse.Event { return sse.Event{Data: []byte(doc)} }

// counted is one event of a stream with counts: its text, the count in usage
// and in timings (-1 for none), and the decoder's result.
type counted struct {
	text           string
	usage, timings int
	tokens         int // of the first delta, -1 unknown, -2 for no delta
	live           int
}

func TestRunningCounts(t *testing.T) {
	for _, r := range []struct {
		name   string
		events []counted
		from   metrics.TokenSource
	}{
		{"continuous usage", []counted{{"", 0, -1, -2, 0}, {"a", 1, -1, 1, 1}, {"bc", 4, -1, 3, 4}, {"", 5, -1, -2, 5}},
			metrics.TokensContinuous},
		{"tokens without text are carried", []counted{{"", 1, -1, -2, 1}, {"", 2, -1, -2, 2}, {"a", 3, -1, 3, 3}},
			metrics.TokensContinuous},
		{"only at the end", []counted{{"a", -1, -1, -1, -1}, {"b", -1, -1, -1, -1}, {"", 2, -1, -2, -1}},
			metrics.TokensUsage},
		{"at the end with text", []counted{{"a", -1, -1, -1, -1}, {"b", 2, -1, -1, -1}}, metrics.TokensUsage},
		{"a hole", []counted{{"a", 1, -1, 1, 1}, {"b", -1, -1, -1, -1}, {"c", 3, -1, -1, -1}, {"d", 4, -1, 1, 4}},
			metrics.TokensContinuous},
		{"backwards", []counted{{"a", 3, -1, 3, 3}, {"b", 1, -1, -1, -1}, {"c", 2, -1, 1, 2}}, metrics.TokensContinuous},
		{"timings", []counted{{"", -1, 0, -2, 0}, {"a", -1, 1, 1, 1}, {"b", -1, 3, 2, 3}}, metrics.TokensTimings},
		{"timings only at the end", []counted{{"a", -1, -1, -1, -1}, {"", -1, 9, -2, -1}}, metrics.TokensUnknown},
		{"usage before timings", []counted{{"a", 2, 1, 2, 2}, {"b", 4, 2, 2, 4}}, metrics.TokensContinuous},
	} {
		t.Run(r.name, func(t *testing.T) {
			d, out := New(), Out{}
			from := metrics.TokensUnknown
			for i, e := range r.events {
				doc := fmt.Sprintf(`{"choices":[{"index":0,"delta":{"content":%q}}]`, e.text)
				if e.usage >= 0 {
					doc += fmt.Sprintf(`,"usage":{"prompt_tokens":10,"completion_tokens":%d,"total_tokens":%d}`, e.usage, 10+e.usage)
				}
				if e.timings >= 0 {
					doc += fmt.Sprintf(`,"timings":{"predicted_n":%d}`, e.timings)
				}
				d.Event(event(doc+"}"), &out)
				tokens := -2
				if len(out.Deltas) > 0 {
					tokens = int(out.Deltas[0].Tokens)
				}
				testkit.That(t, tokens == e.tokens && out.LiveTokens == e.live,
					"event %d: %d tokens, live %d; want %d and %d", i, tokens, out.LiveTokens, e.tokens, e.live)
				if out.TokensFrom != metrics.TokensUnknown {
					from = out.TokensFrom
				}
			}
			testkit.Is(t, from, r.from, "counted from")
		})
	}
}

func TestTokensOfAnEvent(t *testing.T) {
	for _, r := range []struct{ name, doc, want string }{
		{"the first of several deltas has them",
			`{"choices":[{"delta":{"reasoning":"r","content":"c"},"token_ids":[1,2,3]}]}`,
			`choices | reasoning "r" = 3 tokens | content "c" = 0 tokens | from token ids`},
		{"ids before usage", `{"choices":[{"delta":{"content":"c"},"token_ids":[1,2]}],"usage":{"prompt_tokens":1,"completion_tokens":9,"total_tokens":10}}`, `choices | content "c" = 2 tokens | live 9 | usage prompt 1 completion 9 total 10 | from token ids`},
		{"usage before logprobs",
			`{"choices":[{"delta":{"content":"c"},"logprobs":{"content":[{}]}}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`, `choices | content "c" = 2 tokens | live 2 | usage prompt 1 completion 2 total 3 | from counted by the server`},
		{"each choice its own", `{"choices":[{"index":0,"delta":{"content":"a"},"token_ids":[1]},{"index":1,"delta":{"content":"b"},"token_ids":[1,2]}]}`, `choices | content "a" = 1 tokens | content "b" in choice 1 = 2 tokens | from token ids`},
		{"running counts say nothing of two choices",
			`{"choices":[{"index":1,"delta":{"content":"a"}}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`, `choices | content "a" in choice 1 | usage prompt 1 completion 2 total 3 | from server usage`},
		{"a count that leaves thoughts out",
			`{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":30}}`,
			`choices | content "a" | usage prompt 1 completion 2 total 30 | from server usage`},
		{"logprobs of a refusal", `{"choices":[{"delta":{"refusal":"no"},"logprobs":{"content":null,"refusal":[{},{}]}}]}`,
			`choices | refusal "no" = 2 tokens | from logprobs`},
		{"an error's usage makes no chunk", `{"choices":[{"delta":{"content":""},"token_ids":[1]}],"error":"x"}`,
			`choices | FAULT in_stream status 0 code "": the server sent an error in the stream: x`},
	} {
		t.Run(r.name, func(t *testing.T) {
			d, out := New(), Out{}
			d.Event(event(r.doc), &out)
			testkit.Is(t, describe(&out), r.want)
		})
	}
}
