package sim

import (
	"encoding/json"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

// TestGeminiForms: an event ends in CR LF and nothing else is between events; without
// alt=sse the body is one array.
func TestGeminiForms(t *testing.T) {
	_, h := served(t, Options{})
	const body = `{"contents":[{"parts":[{"text":"How?"}]}],"generationConfig":{"maxOutputTokens":9}}`
	w := answered(h, recorded("POST", "/v1beta/models/"+DefaultModel+":streamGenerateContent?alt=sse", body))
	for event := range strings.SplitSeq(strings.TrimSuffix(w.Body.String(), "\r\n\r\n"), "\r\n\r\n") {
		data, ok := strings.CutPrefix(event, "data: ")
		testkit.That(t, ok && json.Valid([]byte(data)), "%q", event)
	}
	w = answered(h, recorded("POST", "/v1beta/models/"+DefaultModel+":streamGenerateContent", body))
	var chunks []any
	if err := json.Unmarshal(w.Body.Bytes(), &chunks); err != nil || len(chunks) != 10 ||
		w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("%v, %d chunks: %s", err, len(chunks), w.Body)
	}
	got := at(chunks[9], "candidates.0.finishReason")
	testkit.That(t, got == "MAX_TOKENS", "finish %v", got)
}

func TestGeminiFields(t *testing.T) {
	_, h := served(t, Options{})
	ask := func(fields string) string { return `{"contents":[{"parts":[{"text":"How?"}]}],` + fields + `}` }
	const thinks, plain = thinker + ":generateContent", DefaultModel + ":generateContent"
	for _, x := range []struct {
		call, body string
		code       int
		words, not string
	}{
		{thinks, ask(`"generationConfig":{}`), 200, `"thoughtsTokenCount":160`, `"thought":true`},
		{thinks, ask(`"generation_config":{"thinking_config":{"include_thoughts":true,"thinking_level":"LOW"}}`), 200,
			`"thoughtsTokenCount":60`, `"error"`},
		{thinks, ask(`"generationConfig":{"thinkingConfig":{"thinkingBudget":0}}`), 200, `"thoughtsTokenCount":0`, `"error"`},
		{plain, ask(`"generationConfig":{"responseMimeType":"application/json","responseSchema":{"type":"OBJECT","properties":{"a":{"type":"INTEGER"}},"required":["a"]}}`), 200, `"text":"{\"a\":`, `"error"`},
		{plain, ask(`"tools":[{"functionDeclarations":[{"name":"f","parameters":{"type":"OBJECT","properties":{"a":{"type":"STRING"}},"required":["a"]}}]}],"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}`), 200, `"args":{"a": ""}`, `"error"`},
		{plain, ask(`"safetySettings":[],"cachedContent":"c"`), 200, `"finishReason":"STOP"`, `"error"`},
		{plain, ask(`"generationConfig":{"candidateCount":2}`), 400, "candidateCount must be 1", `"candidates"`},
		{plain, `{"contents":[{"parts":[{"inlineData":{}}]}]}`, 400, "reads only text", `"candidates"`},
		{plain, `{}`, 400, `"status":"INVALID_ARGUMENT"`, `"candidates"`},
		{DefaultModel + ":embedContent", `{}`, 404, "streamGenerateContent", `"candidates"`},
		{"llama-8b@h100+draft:eagle3:3:generateContent", ask(`"generationConfig":{"maxOutputTokens":2}`), 200,
			`"MAX_TOKENS"`, `"error"`},
	} {
		w := answered(h, recorded("POST", "/v1/models/"+x.call, x.body))
		if body := w.Body.String(); w.Code != x.code || !strings.Contains(body, x.words) || strings.Contains(body, x.not) {
			t.Errorf("%s %s: %d %s", x.call, x.body, w.Code, body)
		}
	}
}

// TestModelsOfThreeAPIs: one answer has what the clients of OpenAI, Anthropic and Google read.
func TestModelsOfThreeAPIs(t *testing.T) {
	_, h := served(t, Options{})
	for _, path := range []string{"/v1/models", "/v1beta/models?pageSize=50", "/v1/models?limit=20"} {
		var doc any
		testkit.OK(t, json.Unmarshal(answered(h, recorded("GET", path, "")).Body.Bytes(), &doc))
		for at1, want := range map[string]any{
			"object": "list", "data.0.id": DefaultModel, "data.0.object": "model", "data.0.owned_by": "tokscope", // OpenAI
			// Anthropic
			"data.0.type": "model", "data.0.display_name": DefaultModel, "has_more": false, "first_id": DefaultModel,
			"models.0.name": "models/" + DefaultModel, "models.0.inputTokenLimit": 131072.0, // Google
		} {
			testkit.Is(t, at(doc, at1), want, path, at1)
		}
	}
	for _, version := range []string{"/v1", "/v1beta"} {
		w := answered(h, recorded("GET", version+"/models/"+DefaultModel, ""))
		var doc any
		if json.Unmarshal(w.Body.Bytes(), &doc) != nil || at(doc, "id") != DefaultModel ||
			at(doc, "name") != "models/"+DefaultModel || at(doc, "type") != "model" {
			t.Errorf("%s: %s", version, w.Body)
		}
	}
	w := answered(h, recorded("GET", "/v1beta/models/nobody", ""))
	testkit.That(t, w.Code == 404 && strings.Contains(w.Body.String(), `"status":"NOT_FOUND"`), "%d %s", w.Code, w.Body)
}
