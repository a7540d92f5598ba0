package dialect

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/sse"
)

// TestGeminiRequest: settings of a person stay beside those of the workload, and a
// conversation in chat's form becomes one of Gemini's.
func TestGeminiRequest(t *testing.T) {
	half, seed := 0.5, 7
	talk := metrics.Workload{Tools: `[{"type":"function","function":{"name":"set","strict":true,"parameters":{"type":"object"}}},{"googleSearch":{}}]`,
		Messages: `[{"role":"system","content":"Be brief."},{"role":"developer","content":"And kind."},` +
			`{"role":"user","content":[{"type":"text","text":"Who?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]},` +
			`{"role":"assistant","content":"Let me see.","tool_calls":[{"id":"c1","type":"function","function":{"name":"set","arguments":"{\"n\":12345678901234567890}"}},{"id":"c2","type":"function","function":{"name":"get","arguments":""}}]},` +
			`{"role":"tool","tool_call_id":"c1","content":"done"},{"role":"tool","tool_call_id":"c2","content":"{\"a\":1}"},{"role":"assistant","content":"So."},{"role":"user","content":[{"fileData":{}}]}]`}
	for _, r := range []struct {
		name  string
		p     Params
		w     metrics.Workload
		extra map[string]any
		want  string
	}{
		{"usual", Params{}, metrics.Workload{System: "Be brief.", Prompt: "Tea?", MaxTokens: 9, Temperature: &half,
			Seed: &seed}, nil,
			`{"contents":[{"parts":[{"text":"Tea?"}],"role":"user"}],"generationConfig":{"maxOutputTokens":9,"seed":7,"temperature":0.5},"systemInstruction":{"parts":[{"text":"Be brief."}]}}`},
		{"given up", Params{NoTemperature: true, NoSeed: true}, metrics.Workload{Prompt: "Tea?", MaxTokens: 9,
			Temperature: &half, Seed: &seed},
			map[string]any{"generationConfig": map[string]any{"thinkingConfig": map[string]any{"includeThoughts": true}}},
			`{"contents":[{"parts":[{"text":"Tea?"}],"role":"user"}],"generationConfig":{"maxOutputTokens":9,"thinkingConfig":{"includeThoughts":true}}}`},
		{"a conversation", Params{}, talk, nil,
			`{"contents":[{"parts":[{"text":"Who?"},{"inlineData":{"data":"AAAA","mimeType":"image/png"}}],"role":"user"},` +
				`{"parts":[{"text":"Let me see."},{"functionCall":{"args":{"n":12345678901234567890},"name":"set"}},{"functionCall":{"args":{},"name":"get"}}],"role":"model"},` +
				`{"parts":[{"functionResponse":{"name":"set","response":{"output":"done"}}},{"functionResponse":{"name":"get","response":{"a":1}}}],"role":"user"},` +
				`{"parts":[{"text":"So."}],"role":"model"},{"parts":[{"fileData":{}}],"role":"user"}],"generationConfig":{},"systemInstruction":{"parts":[{"text":"Be brief."},{"text":"And kind."}]},` +
				`"tools":[{"googleSearch":{}},{"functionDeclarations":[{"name":"set","parameters":{"type":"object"}}]}]}`},
	} {
		_, body, err := Speaks("gemini").Write(&r.p, "m", &r.w, r.extra)
		diff := cmp.Diff(r.want, string(body))
		testkit.That(t, err == nil && diff == "", "%s: %v\n%s", r.name, err, diff)
	}
}

func TestGeminiChunks(t *testing.T) {
	const truncated = `FAULT truncated status 0 code "": the stream ended without a finish reason: try again; some servers end like this after an error: look at the server's log`
	parts := func(parts string) string {
		return `{"candidates":[{"content":{"parts":[` + parts + `],"role":"model"}}]}`
	}
	for _, r := range []struct {
		name   string
		chunks []string
		want   string
	}{
		{"thinking, then text, in one chunk",
			[]string{parts(`{"text":"why","thought":true},{"text":"so","thoughtSignature":"c2ln"}`)},
			`choices | reasoning "why" | content "so"` + "\n" + truncated},
		{"a signature in an empty text", []string{parts(`{"text":"","thought":true,"thoughtSignature":"c2ln"}`)},
			"choices\n" + truncated},
		{"a whole call", []string{parts(`{"functionCall":{"id":"c1","name":"set","args":{"n": 6}},"thoughtSignature":"c2ln"},{"functionCall":{"name":"get"}}`)},
			`choices | tool_call "{\"n\": 6}" of set | tool_call "" of get` + "\n" + truncated},
		{"arguments in pieces", []string{parts(`{"functionCall":{"name":"set","willContinue":true}}`),
			parts(`{"functionCall":{"partialArgs":[{"jsonPath":"$.n","stringValue":"si"}],"willContinue":true}}`),
			parts(`{"functionCall":{}}`)},
			`choices | tool_call "" of set` + "\n" + `choices | tool_call "[{\"jsonPath\":\"$.n\",\"stringValue\":\"si\"}]"` +
				"\nchoices\n" + truncated},
		{"code that the server runs",
			[]string{parts(`{"executableCode":{"language":"PYTHON","code":"1+1"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"2"}}`)},
			`choices | tool_call "1+1" of code_execution | code_execution has worked` + "\n" + truncated},
		{"a picture and a sound",
			[]string{parts(`{"inlineData":{"mimeType":"image/png","data":"AAAA"}},{"inlineData":{"mimeType":"audio/L16","data":"AAAA"}}`)}, `choices | image "" | audio ""` + "\n" + truncated},
		{"counts of each chunk", []string{
			`{"candidates":[{"content":{"parts":[{"text":"why","thought":true}]}}],"usageMetadata":{"promptTokenCount":9,"thoughtsTokenCount":4,"totalTokenCount":13}}`,
			`{"candidates":[{"content":{"parts":[{"text":"so"}]}}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":3,"thoughtsTokenCount":4,"totalTokenCount":16,"cachedContentTokenCount":5}}`,
			`{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":3,"thoughtsTokenCount":4,"totalTokenCount":16,"cachedContentTokenCount":5,"trafficType":"ON_DEMAND"},"modelVersion":"m","responseId":"r1"}`},
			`choices | reasoning "why" = 4 tokens | live 4 | usage prompt 9 completion 4 total 13 reasoning 4 | from counted by the server` + "\n" +
				`choices | content "so" = 3 tokens | live 7 | usage prompt 9 completion 7 total 16 reasoning 4 cached 5 | from counted by the server` + "\n" +
				`choices | live 7 | usage prompt 9 completion 7 total 16 reasoning 4 cached 5 | from counted by the server | finish STOP | id r1 | model m` + "\n"},
		{"the other spelling", []string{`{"candidates":[{"content":{"parts":[{"function_call":{"name":"f","args":{}}}]},"finish_reason":"MAX_TOKENS"}],"usage_metadata":{"prompt_token_count":9,"candidates_token_count":3,"thoughts_token_count":4,"total_token_count":16,"cached_content_token_count":5},"model_version":"m","response_id":"r1"}`},
			`choices | tool_call "{}" of f = 3 tokens | usage prompt 9 completion 7 total 16 reasoning 4 cached 5 | from counted by the server | finish MAX_TOKENS | id r1 | model m` + "\n"},
		{"counts on the last alone", []string{parts(`{"text":"a"}`),
			`{"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":3,"totalTokenCount":12}}`},
			`choices | content "a"` + "\n" + `usage prompt 9 completion 3 total 12 | from server usage` + "\n" + truncated},
		{"blocked before any candidate",
			[]string{`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":9,"totalTokenCount":9}}`},
			`usage prompt 9 completion -1 total 9 | from server usage | finish PROHIBITED_CONTENT` + "\n"},
		{"blocked for another reason", []string{`{"promptFeedback":{"blockReason":"OTHER"}}`},
			`finish OTHER | FAULT in_stream status 0 code "OTHER": the server sent an error in the stream: the prompt was blocked as OTHER` + "\n"},
		{"stopped for safety", []string{parts(`{"text":"a"}`), `{"candidates":[{"finishReason":"SAFETY","index":0}]}`},
			`choices | content "a"` + "\n" + `choices | finish SAFETY` + "\n"},
		{"a malformed call", []string{`{"candidates":[{"content":{},"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"no such tool"}]}`},
			`choices | finish MALFORMED_FUNCTION_CALL | FAULT in_stream status 0 code "MALFORMED_FUNCTION_CALL": the server sent an error in the stream: no such tool` + "\n"},
		{"two candidates", []string{`{"candidates":[{"content":{"parts":[{"text":"a"}]},"index":0},{"content":{"parts":[{"text":"b"}]},"index":1,"finishReason":"STOP"}]}`},
			`choices | content "a" | content "b" in choice 1 | finish STOP` + "\n"},
		{"an error inside", []string{parts(`{"text":"a"}`),
			`{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`},
			`choices | content "a"` + "\n" +
				`FAULT in_stream status 503 code "UNAVAILABLE": the server sent an error in the stream: The model is overloaded: the server, or one behind it, is unavailable: wait a moment and try again` + "\n"},
	} {
		testkit.Same(t, lined(r.chunks...), r.want, r.name)
	}
	in := `data: [{"error":{"code":429,"message":"Quota exceeded.","status":"RESOURCE_EXHAUSTED"}}]` + "\r\n\r\n"
	testkit.Has(t, replay(t, nil, []byte(in)), "FAULT in_stream status 429")
}

// TestGeminiWaits: code that the server runs is a wait, until its result comes.
func TestGeminiWaits(t *testing.T) {
	dec := New()
	var out Out
	var waits []metrics.Wait
	for i, part := range []string{`{"text":"a"}`, `{"executableCode":{"code":"1+1"}}`,
		`{"codeExecutionResult":{"output":"2"}}`, `{"text":"b"}`} {
		dec.Event(sse.Event{Data: []byte(`{"candidates":[{"content":{"parts":[` + part + `]}}]}`), At: metrics.Stamp(i)},
			&out)
		if out.Waits != nil {
			waits = out.Waits
		}
	}
	testkit.Same(t, waits, []metrics.Wait{{Name: "code_execution", From: 1, To: 2}})
}

// foreignText is the reference for the text of one event of Ollama and Gemini, by
// encoding/json and without calls; ok is false for another event.
func foreignText(doc []byte) (text string, ok bool) {
	var root map[string]any
	if !json.Valid(doc) || json.Unmarshal(doc, &root) != nil || root["error"] != nil {
		return "", false
	}
	str := func(v any) string { s, _ := v.(string); return s }
	object := func(v any) map[string]any { m, _ := v.(map[string]any); return m }
	list := func(v any) []any { l, _ := v.([]any); return l }
	if _, chat := root["choices"].([]any); chat || str(root["type"]) != "" {
		return "", false
	}
	if _, line := root["done"].(bool); line {
		from, isMessage := root["message"].(map[string]any)
		content := from["content"]
		if !isMessage {
			if content, line = root["response"].(string); !line {
				return "", false
			}
			from = root
		}
		return str(from["thinking"]) + str(content), root["message"] == nil || isMessage && root["response"] == nil &&
			root["thinking"] == nil
	}
	all, isGemini := root["candidates"].([]any)
	for _, c := range all {
		for _, p := range list(object(object(c)["content"])["parts"]) {
			text += str(object(p)["text"])
		}
	}
	return text, isGemini && len(all) <= maxChoices
}

// FuzzForeignEvent decodes one event of Ollama or Gemini. Nothing panics, texts are valid
// UTF-8, and they are those that encoding/json finds.
func FuzzForeignEvent(f *testing.F) {
	object := regexp.MustCompile(`(?m)\{.*\}\r?$`)
	for _, file := range []string{"ollama", "ollama-generate", "gemini"} {
		body := testkit.Must(os.ReadFile(filepath.Join("testdata/apis", file+".body")))(f)
		for _, doc := range object.FindAll(body, -1) {
			f.Add(doc)
		}
	}
	f.Add([]byte(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","partialArgs":[]}},{"inlineData":{"mimeType":"image/png","data":"AA"}}]},"index":-1,"finishReason":"OTHER"},{}],"usageMetadata":{}}`))
	f.Add([]byte(`{"message":{"content":"<think>a","tool_calls":[{"function":{"name":"f","arguments":"x"}}]},"done":true,"eval_count":1e9,"created_at":"2026-01-01T00:00:00Z"}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		dec := New()
		var out Out
		var got strings.Builder
		collect := func() {
			for _, d := range out.Deltas {
				testkit.Given(t, utf8.Valid(d.Text) && utf8.ValidString(d.Name) && d.Tokens >= -1, "%+v", d)
				if d.Kind == metrics.Content || d.Kind == metrics.Reasoning {
					got.Write(d.Text)
				}
			}
		}
		dec.Event(sse.Event{Data: doc, At: 1}, &out)
		collect()
		dec.Finish(true, &out)
		collect()
		want, ok := foreignText(doc)
		testkit.Given(t, !ok || depthOf(doc) >= maxDepth-8 || got.String() == want, "%q, want %q", got.String(), want)
	})
}
