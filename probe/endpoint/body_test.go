package endpoint

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

func TestParseBody(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{` [ {"role": "user", "content": "hi"} ]`, `[{"role":"user","content":"hi"}]   0 <nil> <nil> null`},
		{`{"messages":[{"role":"x"}],"tools":[{"type":"function"}],"tool_choice":"auto"}`,
			`[{"role":"x"}] [{"type":"function"}]  0 <nil> <nil> {"tool_choice":"auto"}`},
		{`{"model":"m","stream":false,"stream_options":{"include_usage":true},"messages":[{}],"max_tokens":5,"temperature":0,"seed":7,"n":2}`,
			`[{}]  m max_tokens5 0 7 {"n":2}`},
		{`{"messages":[{}],"max_completion_tokens":6,"max_tokens":5,"top_k":12345678901234567890}`,
			`[{}]   max_completion_tokens6 <nil> <nil> {"max_tokens":5,"top_k":12345678901234567890}`},
		{`{"messages":[{}],"stream":"no"}`, `[{}]   0 <nil> <nil> null`},
		{`{"messages":[{}],"model":null,"tools":null,"temperature":null}`, `[{}]   0 <nil> <nil> null`},
		{`{"messages":[{}],"max_tokens":"5","seed":"x","stream_options":{"include_usage" : true}}`,
			`[{}]   0 <nil> <nil> {"max_tokens":"5","seed":"x"}`},
	} {
		b, err := ParseBody([]byte(c.data))
		testkit.OK(t, err)
		show := func(p any) string { return string(testkit.Must(json.Marshal(p))(t)) }
		w := b.Work
		got := fmt.Sprint(string(w.Messages), " ", string(w.Tools), " ", b.Model, " ", b.MaxField, w.MaxTokens,
			" ", strings.ReplaceAll(show(w.Temperature), "null", "<nil>"), " ", strings.ReplaceAll(show(w.Seed), "null",
				"<nil>"), " ", show(b.Extra))
		testkit.Is(t, got, c.want, c.data)
	}
	for _, c := range []struct{ data, say string }{
		{"", "line 1, column 1: it is no JSON object and no array"},
		{"hello", "line 1, column 1"}, {`"x"`, "no JSON object"},
		{"[\n  {\"role\": \"user\",}\n]", "line 2, column 19"},
		{"{\"messages\": [{}]} x", "line 1, column 20"},
		{"{\"messages\": [{}]", "line 1, column 17"},
		{"{}", "has no messages"}, {"[]", "has no messages"}, {`["hi"]`, "has no messages"},
		{`{"messages":{}}`, "has no messages"},
		{strings.Repeat("[", 20000), "column"},
		{`{"messages":[{}],"model":7}`, "its model is no text"},
		{`{"contents":[{"parts":[{"text":"a"},{"functionResponse":{"name":"f"}}]}]}`, "neither a text nor an image"},
		{`{"contents":[{"parts":[{"inlineData":{"mimeType":"audio/wav","data":"AAAA"}}]}]}`, "neither a text nor an image"},
	} {
		_, err := ParseBody([]byte(c.data))
		testkit.That(t, err != nil && strings.Contains(message(err), c.say) && next(err) != "", "%.60s: %v", c.data, err)
	}
}
