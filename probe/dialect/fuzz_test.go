package dialect

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/sse"
)

// corpus feeds every document of the fixtures to a fuzz target.
func corpus(f *testing.F, add func(doc []byte)) {
	f.Helper()
	files, err := filepath.Glob("testdata/servers/*.sse")
	if err != nil || len(files) == 0 {
		f.Fatal("no fixtures", err)
	}
	for _, file := range files {
		b := testkit.Must(os.ReadFile(file))(f)
		for line := range bytes.Lines(b) {
			if doc, ok := bytes.CutPrefix(line, []byte("data:")); ok {
				add(bytes.TrimSpace(doc))
			}
		}
	}
}

// depthOf is how deep a well-formed document nests.
func depthOf(doc []byte) (deepest int) {
	depth, quoted := 0, false
	for i := 0; i < len(doc); i++ {
		switch c := doc[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// FuzzScan compares the scanner with encoding/json. A document that
// encoding/json accepts has the same values. One that it refuses is refused
// too, except for the deliberate additions.
func FuzzScan(f *testing.F) {
	corpus(f, func(doc []byte) { f.Add(doc) })
	for _, s := range []string{`{"a":[1,2.5e-3,-0,true,false,null,"\u00e9\ud83d\ude00\ud83d"]}`,
		`{"choices":[],"choices":null}`, `{"model":"a","model":7}`, `{"a":1,}`, `{"a":01}`, `{"a":"\x"}`, `[}`, `{"a":-}`,
		`{"choices":[{"delta":{"content":"a","content":[]}}],"id":"` + "\xff" + `"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		var s scanner
		s.start(doc)
		s.skip()
		accepted := s.end()
		if depthOf(doc) >= maxDepth-8 {
			return
		}
		valid := json.Valid(doc)
		testkit.Given(t, !valid || accepted, "refused %q", doc)
		if accepted && !valid {
			testkit.Given(t, extra(doc), "accepted %q", doc)
			return
		}
		var m message
		s.start(doc)
		read := m.read(&s)
		var want any
		if !valid || json.Unmarshal(doc, &want) != nil {
			return
		}
		root, object := want.(map[string]any)
		testkit.Need(t, read, object, "read")
		if object {
			compare(t, &m, root)
		}
	})
}

// extra reports whether doc has something that only we accept.
func extra(doc []byte) bool {
	if bytes.Contains(doc, []byte("NaN")) || bytes.Contains(doc, []byte("Infinity")) {
		return true
	}
	return bytes.ContainsFunc(doc, func(r rune) bool { return r < ' ' })
}

func compare(t *testing.T, m *message, root map[string]any) {
	for k, got := range map[string][]byte{"id": m.id, "model": m.model, "provider": m.provider,
		"system_fingerprint": m.fingerprint, "object": m.object, "type": m.typ, "response": m.response} {
		sameText(t, k, got, root)
	}
	for k, got := range map[string][]byte{"usage": m.usage, "x_groq": m.xGroq, "error": m.err, "errors": m.errs,
		"message": m.message, "delta": m.delta, "timings": m.blocks[timeBlock([]byte("timings"))],
		"metrics": m.blocks[timeBlock([]byte("metrics"))]} {
		sameRaw(t, k, got, root)
	}
	list, ok := root["choices"].([]any)
	testkit.Need(t, ok, m.isChunk, "choices")
	n := 0
	for _, e := range list {
		want, ok := e.(map[string]any)
		if !ok {
			continue
		}
		if n == maxChoices {
			break
		}
		c := &m.choices[n]
		n++
		sameText(t, "finish_reason", c.finish, want)
		sameText(t, "text", c.text, want)
		sameRaw(t, "usage", c.usage, want)
		sameRaw(t, "error", c.err, want)
		ids := -1
		if l, ok := want["token_ids"].([]any); ok {
			ids = len(l)
		}
		testkit.Need(t, ids, c.ids, "token_ids")
		for key, d := range map[string]*delta{"delta": &c.delta, "message": &c.message} {
			w, ok := want[key].(map[string]any)
			testkit.Need(t, ok, d.present, key, "present")
			for k, got := range map[string][]byte{"content": d.content, "reasoning": d.reasoning,
				"reasoning_content": d.reasoningContent, "refusal": d.refusal} {
				sameText(t, k, got, w)
			}
			for k, got := range map[string][]byte{"tool_calls": d.tools, "function_call": d.function,
				"reasoning_details": d.details} {
				sameRaw(t, k, got, w)
			}
			if _, ok := w["content"].([]any); ok != (d.parts != nil) {
				t.Fatalf("parts: %q", d.parts)
			}
			extra, _ := w["extra_content"].(map[string]any)
			google, _ := extra["google"].(map[string]any)
			testkit.Need(t, google["thought"] == true, d.thought, "thought")
		}
	}
	testkit.Need(t, n, len(m.choices), "choices")
}

func sameText(t *testing.T, key string, got []byte, object map[string]any) {
	want, _ := object[key].(string)
	testkit.Need(t, string(got), want, key)
}

func sameRaw(t *testing.T, key string, got []byte, object map[string]any) {
	var v any
	if got != nil {
		testkit.OK(t, json.Unmarshal(got, &v), key, got)
	}
	testkit.Given(t, reflect.DeepEqual(v, object[key]), "%s: %q, want %v", key, got, object[key])
}

// textOf is the reference for the texts of a chunk's only choice, by
// encoding/json and regardless of kinds. ok is false for chunks outside this
// simple reference.
func textOf(doc []byte) (text string, ok bool) {
	var root map[string]any
	if !json.Valid(doc) || json.Unmarshal(doc, &root) != nil || root == nil {
		return "", false
	}
	if typ, _ := root["type"].(string); typ != "" {
		return "", false
	}
	choices, isChunk := root["choices"].([]any)
	if !isChunk || len(choices) != 1 {
		return "", false
	}
	c, isObject := choices[0].(map[string]any)
	if !isObject || c["message"] != nil {
		return "", false
	}
	if i, _ := c["index"].(float64); i != 0 {
		return "", false
	}
	d, present := c["delta"].(map[string]any)
	str := func(v any) string { s, _ := v.(string); return s }
	first := func(all ...string) string {
		for _, s := range all {
			if s != "" {
				return s
			}
		}
		return ""
	}
	var b strings.Builder
	b.WriteString(first(str(d["reasoning_content"]), str(d["reasoning"]), joinText(d["reasoning_details"])))
	switch content := d["content"].(type) {
	case []any:
		for _, p := range content {
			if s, ok := p.(string); ok {
				b.WriteString(s)
			}
			if p, ok := p.(map[string]any); ok {
				if _, both := p["summary"]; both {
					return "", false
				}
				b.WriteString(str(p["thinking"]) + joinText(p["thinking"]) + str(p["text"]))
			}
		}
	case string:
		b.WriteString(content)
	}
	if !present {
		b.WriteString(str(c["text"]))
	}
	b.WriteString(str(d["refusal"]))
	if d["tool_calls"] != nil || d["function_call"] != nil {
		return "", false
	}
	return b.String(), true
}

func joinText(v any) string {
	list, _ := v.([]any)
	var b strings.Builder
	for _, p := range list {
		if s, ok := p.(string); ok {
			b.WriteString(s)
		}
		if p, ok := p.(map[string]any); ok {
			text, _ := p["text"].(string)
			summary, _ := p["summary"].(string)
			if text != "" && summary != "" {
				return "\x00" // the last one counts, which a map cannot represent
			}
			b.WriteString(text + summary)
		}
	}
	return b.String()
}

// FuzzDecode feeds random bytes to framer and decoder. Nothing panics, and
// every text is valid UTF-8. The joined texts are those that encoding/json
// finds in the same events.
func FuzzDecode(f *testing.F) {
	files, _ := filepath.Glob("testdata/servers/*.sse")
	for _, file := range files {
		b := testkit.Must(os.ReadFile(file))(f)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var (
			dec       = New()
			out       Out
			asm       sse.Assembler
			got, want bytes.Buffer
			known     = true
		)
		collect := func() {
			for _, d := range out.Deltas {
				testkit.Given(t, utf8.Valid(d.Text) && d.Kind <= metrics.Image && d.Tokens >= -1, "%+v", d)
				got.Write(d.Text)
			}
			if f := out.Fault; f != nil && (len(f.Body) > maxBody || !utf8.ValidString(f.Body) || !utf8.ValidString(f.Message)) {
				t.Fatalf("%+v", f)
			}
		}
		emit := func(ev sse.Event) {
			doc := bytes.TrimSpace(ev.Data)
			dec.Event(ev, &out)
			collect()
			if ev.Comment || ev.Field == "error" || len(doc) == 0 || string(doc) == "[DONE]" || string(doc) == `"[DONE]"` {
				return
			}
			text, ok := textOf(doc)
			if !ok && len(out.Deltas) > 0 || strings.Contains(text, "\x00") || depthOf(doc) >= maxDepth-8 {
				known = false
			}
			want.WriteString(text)
		}
		for line := range bytes.SplitSeq(body, []byte("\n")) {
			asm.Push(sse.Line{Data: line, Bytes: int32(len(line) + 1)}, emit)
		}
		asm.Flush(emit)
		dec.Finish(true, &out)
		collect()
		testkit.Given(t, !known || got.String() == want.String(), "%q, want %q", got.String(), want.String())
	})
}

// FuzzThinkTags cuts a text into two and three pieces. The cuts do not change
// what is reasoning and what is content, except for blanks before a tag.
// Nothing is lost.
func FuzzThinkTags(f *testing.F) {
	for _, s := range []string{"<think>a</think>b", " <thought>a</thought>", "</think>b", "<thin", "<table>",
		"<think>a<</think>", "a<think>"} {
		f.Add(s, uint(1), uint(4))
	}
	f.Fuzz(func(t *testing.T, text string, a, b uint) {
		if !utf8.ValidString(text) || text == "" {
			return
		}
		n := uint(len(text) + 1)
		i, j := int(min(a%n, b%n)), int(max(a%n, b%n))
		split := func(pieces ...string) (content, reasoning string) {
			var (
				s   scanner
				st  choiceState
				out Out
			)
			for _, p := range pieces {
				if p != "" {
					s.start(nil)
					first := len(out.Deltas)
					st.content(&s, 0, []byte(p), false, &out)
					testkit.Given(t, len(out.Deltas) != first, "%q made no delta", p)
					for k := range out.Deltas[first:] {
						out.Deltas[first+k].Text = bytes.Clone(out.Deltas[first+k].Text)
					}
				}
			}
			st.plainFrom(0, &out)
			joined := ""
			for _, d := range out.Deltas {
				joined += string(d.Text)
				if d.Kind == metrics.Content {
					content += string(d.Text)
				} else {
					reasoning += string(d.Text)
				}
			}
			testkit.Need(t, joined, text)
			return strings.TrimLeft(content, " \t\r\n"), strings.TrimLeft(reasoning, " \t\r\n")
		}
		c, r := split(text)
		c2, r2 := split(text[:i], text[i:j], text[j:])
		testkit.Given(t, c == c2 && r == r2,
			"%q cut at %d and %d: content %q and %q, reasoning %q and %q", text, i, j, c, c2, r, r2)
	})
}
