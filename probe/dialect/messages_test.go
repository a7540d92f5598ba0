package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/sse"
)

// TestMessagesBody: what a workload asks for, in the form of Messages.
func TestMessagesBody(t *testing.T) {
	warm := 0.0
	for _, c := range []struct {
		name string
		w    metrics.Workload
		p    Params
		want string
	}{
		{"least", metrics.Workload{Prompt: "tea"}, Params{},
			`{"model":"m","stream":true,"max_tokens":4096,"messages":[{"role":"user","content":"tea"}]}`},
		{"all", metrics.Workload{Prompt: "tea", System: "be brief", MaxTokens: 9, Temperature: &warm, Seed: new(int)},
			Params{},
			`{"model":"m","stream":true,"max_tokens":9,"temperature":0,"system":"be brief","messages":[{"role":"user","content":"tea"}]}`},
		{"the temperature is refused", metrics.Workload{Prompt: "tea", MaxTokens: 9, Temperature: &warm},
			Params{NoTemperature: true},
			`{"model":"m","stream":true,"max_tokens":9,"messages":[{"role":"user","content":"tea"}]}`},
		{"a conversation of chat", metrics.Workload{MaxTokens: 9,
			Messages: `[{"role":"system","content":"be brief"},{"role":"user","content":"tea"},
			{"role":"assistant","content":"I boil.","tool_calls":[{"id":"c1","type":"function","function":{"name":"boil","arguments":"{\"cups\":12345678901234567890}"}},{"id":"c2","type":"function","function":{"name":"look","arguments":""}}]},
			{"role":"tool","tool_call_id":"c1","content":"hot"},{"role":"tool","tool_call_id":"c2","content":[{"type":"text","text":"seen"}]},
			{"role":"user","content":[{"type":"text","text":"and this?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},{"type":"image_url","image_url":{"url":"https://pictures.example/cup"}}]}]`,
			Tools: `[{"type":"function","function":{"name":"boil","description":"boils","parameters":{"type":"object","properties":{"cups":{"type":"integer"}}}}},{"type":"function","function":{"name":"look"}}]`}, Params{},
			`{"model":"m","stream":true,"max_tokens":9,"system":"be brief","messages":[{"role":"user","content":"tea"},
			{"role":"assistant","content":[{"type":"text","text":"I boil."},{"type":"tool_use","id":"c1","name":"boil","input":{"cups":12345678901234567890}},{"type":"tool_use","id":"c2","name":"look","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"hot"},{"type":"tool_result","tool_use_id":"c2","content":[{"type":"text","text":"seen"}]}]},
			{"role":"user","content":[{"type":"text","text":"and this?"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}},{"type":"image","source":{"type":"url","url":"https://pictures.example/cup"}}]}],
			"tools":[{"name":"boil","description":"boils","input_schema":{"type":"object","properties":{"cups":{"type":"integer"}}}},{"name":"look","input_schema":{"type":"object"}}]}`},
		{"what has the form already", metrics.Workload{MaxTokens: 9,
			Messages: `[{"role":"system","content":[{"type":"text","text":"be brief","cache_control":{"type":"ephemeral"}}]},
			{"role":"user","content":"tea"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"boil","input":{"cups":6}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"hot"}]}]`,
			Tools: `[{"name":"boil","input_schema":{"type":"object"}},{"type":"web_search_20250305","name":"web_search"}]`},
			Params{},
			`{"model":"m","stream":true,"max_tokens":9,"system":[{"type":"text","text":"be brief","cache_control":{"type":"ephemeral"}}],
			"messages":[{"role":"user","content":"tea"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"boil","input":{"cups":6}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"hot"}]}],
			"tools":[{"name":"boil","input_schema":{"type":"object"}},{"type":"web_search_20250305","name":"web_search"}]}`},
	} {
		typed, body, err := messages.Write(&c.p, "m", &c.w, nil)
		if testkit.OK(t, err); typed != nil {
			t.Errorf("%s: %T", c.name, typed)
		}
		var got, want any
		testkit.OK(t, decode(string(body), &got))
		testkit.OK(t, decode(c.want, &want))
		testkit.Same(t, got, want, c.name)
	}
}

// messagesText is the reference for the texts of an event, by encoding/json.
func messagesText(root map[string]any) (text string) {
	part := func(from any, key string) string {
		m, _ := from.(map[string]any)
		s, _ := m[key].(string)
		return s
	}
	switch root["type"] {
	case "content_block_delta":
		d := root["delta"]
		return part(d, "text") + part(d, "thinking") + part(d, "partial_json")
	case "content_block_start":
		b := root["content_block"]
		if kind := part(b, "type"); kind == "text" || kind == "thinking" {
			return part(b, "text") + part(b, "thinking")
		}
	}
	return ""
}

// FuzzMessages feeds events of Messages to the decoder. Nothing panics, the texts are
// those that encoding/json finds, counts are no negative ones but -1, and waits end after
// they begin.
func FuzzMessages(f *testing.F) {
	files, err := filepath.Glob("testdata/servers/messages-*.sse")
	if err != nil || len(files) == 0 {
		f.Fatal("no fixtures", err)
	}
	for _, file := range files {
		body := testkit.Must(os.ReadFile(file))(f)
		var docs [][]byte
		for line := range bytes.Lines(body) {
			if doc, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
				docs = append(docs, bytes.TrimSpace(doc))
			}
		}
		f.Add(bytes.Join(docs, []byte("\n")))
	}
	f.Fuzz(func(t *testing.T, docs []byte) {
		d, thinking := New(), 0
		var out Out
		at := metrics.Stamp(0)
		for doc := range bytes.SplitSeq(docs, []byte("\n")) {
			at += 1e6
			d.Event(sse.Event{Data: doc, At: at, User: at}, &out)
			var got strings.Builder
			for _, x := range out.Deltas {
				testkit.Given(t, utf8.Valid(x.Text) && x.Tokens >= -1, "%+v", x)
				got.Write(x.Text)
			}
			u := out.Usage
			testkit.Given(t, u == nil || min(u.Prompt, u.Completion, u.Reasoning, u.Cached, u.Total) >= -1, "%+v", u)
			testkit.Given(t, (out.Thinking <= 0 || out.Thinking >= thinking) && len(out.Waits) <= mostWaits,
				"thinking %d after %d, %d waits", out.Thinking, thinking, len(out.Waits))
			thinking = max(thinking, out.Thinking)
			for _, w := range out.Waits {
				testkit.Given(t, (!w.To.Known() || w.To >= w.From) && w.Name != "", "%+v", w)
			}
			var root map[string]any
			if !json.Valid(doc) || json.Unmarshal(doc, &root) != nil || depthOf(doc) >= maxDepth-8 {
				continue
			}
			if _, chunk := root["choices"].([]any); chunk || root["type"] != "content_block_delta" {
				if block, _ := root["content_block"].(map[string]any); chunk || root["type"] != "content_block_start" ||
					block["type"] != "text" && block["type"] != "thinking" {
					continue
				}
			}
			testkit.Need(t, got.String(), messagesText(root), "of", doc)
		}
		d.Finish(true, &out)
	})
}

// TestThinkingBegins: that the model thinks is known before, and without, a text of it.
func TestThinkingBegins(t *testing.T) {
	for doc, thinks := range map[string]bool{
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`: true,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`:                        false,
		`{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"r","summary":[]}}`:  true,
		`{"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"m","content":[]}}`:    false,
	} {
		var out Out
		New().Event(sse.Event{Data: []byte(doc)}, &out)
		testkit.That(t, out.Thinks == thinks && len(out.Deltas) == 0,
			"%s: thinks %v, %d deltas", doc, out.Thinks, len(out.Deltas))
	}
}

// A server that starts more tools than it can run is bound, and each ends by its id.
func TestWaitsByID(t *testing.T) {
	d := New()
	var out Out
	send := func(at int, format string, args ...any) {
		d.Event(sse.Event{At: metrics.Stamp(at), Data: fmt.Appendf(nil, format, args...)}, &out)
	}
	for i := range 2 * mostWaits {
		send(i, `{"type":"content_block_start","index":%d,"content_block":{"type":"server_tool_use","id":"s%d","name":"n%d","input":{}}}`, i, i, i)
		send(i, `{"type":"content_block_stop","index":%d}`, i)
	}
	send(5000, `{"type":"content_block_start","index":9000,"content_block":{"type":"code_execution_tool_result","tool_use_id":"s3"}}`)
	testkit.Need(t, len(out.Waits), mostWaits, "waits")
	for i, w := range out.Waits {
		testkit.That(t, w.From == metrics.Stamp(i) && w.To.Known() == (i == 3), "wait %d: %+v", i, w)
	}
}
