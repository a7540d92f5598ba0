package metrics

import (
	"encoding/json"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

func TestMessagesBefore(t *testing.T) {
	for _, c := range []struct{ name, messages, want string }{
		{"a text", `[{"role":"user","content":"Hi"}]`, `[{"role":"user","content":"N\n\nHi"}]`},
		{"the system's is the first", `[{"role":"system","content":"S"},{"role":"user","content":"Hi"}]`,
			`[{"role":"system","content":"N\n\nS"},{"role":"user","content":"Hi"}]`},
		{"the same words under another name", `[{"name":"Hi","role":"user","content":"Hi"}]`,
			`[{"name":"Hi","role":"user","content":"N\n\nHi"}]`},
		{"parts", `[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:x"}},{"type":"text","text":"é\u00e9<&"}]}]`,
			`[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:x"}},{"type":"text","text":"N\n\né\u00e9<&"}]}]`},
		{"a call has no text", `[{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"arguments":"{\"content\":1}"}}]},{"role":"tool","content":"18 C"}]`,
			`[{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"arguments":"{\"content\":1}"}}]},{"role":"tool","content":"N\n\n18 C"}]`},
		{"an empty text is none", `[{"content":""},{"content":"x"}]`, `[{"content":""},{"content":"N\n\nx"}]`},
		{"no text", `[{"role":"user","content":[{"type":"image_url"}]}]`,
			`[{"role":"user","content":[{"type":"image_url"}]}]`},
		{"blanks", `[ {"content" :  "x" } ]`, `[ {"content" :  "N\n\nx" } ]`},
		{"none", ``, ``}, {"no array", `7`, `7`}, {"cut off", `[{"content":`, `[{"content":`},
	} {
		testkit.Is(t, Raw(c.messages).Before("N\n\n"), Raw(c.want), c.name)
	}
}

func TestRawInJSON(t *testing.T) {
	var w Workload
	testkit.OK(t, json.Unmarshal([]byte(`{"messages": [ {"content": "a b"} ], "tools": null}`), &w))
	testkit.That(t, w.Messages == `[{"content":"a b"}]` && w.Tools == "" && !w.Blank(), "%+v", w)
	out := string(testkit.Must(json.Marshal(w))(t))
	if !strings.Contains(out, `"messages":[{"content":"a b"}]`) || strings.Contains(out, "tools") {
		t.Error(out)
	}
	if n := w.Messages.Count(); n != 1 || Raw("7").Count() != 0 {
		t.Error(n)
	}
}

func TestWorkloadText(t *testing.T) {
	w := Workload{System: "S", Prompt: "P"}
	testkit.Is(t, w.Text(), "S P")
	w.Messages = `[{"role":"system","content":"one"},{"role":"user","content":[{"type":"text","text":"two \"x\""},` +
		`{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}]`
	testkit.Is(t, w.Text(), `one two "x"`)
}
