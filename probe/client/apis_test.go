package client_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/dialect"
	"tokscope/probe/endpoint"
)

// TestStreamOfEachAPI: a request of each API goes where its servers listen, has the key where
// they look for it, and its answer is followed to the end.
func TestStreamOfEachAPI(t *testing.T) {
	const story = "The kettle ticks as it warms. Six cups, six spoons; " // how the text begins
	ofGemini := map[string]any{"generationConfig": map[string]any{"maxOutputTokens": 7.0},
		"systemInstruction": map[string]any{"parts": []any{map[string]any{"text": "Be brief."}}},
		"contents":          []any{map[string]any{"role": "user", "parts": []any{map[string]any{"text": "Tea?"}}}}}
	for _, r := range []struct {
		api, file, path, query, key, form string
		body                              map[string]any
		tokens, prompt, cached            int
	}{
		{"completions", "completions", "/v1/completions", "", "Authorization", "text/event-stream",
			map[string]any{"model": "m", "prompt": "Be brief.\n\nTea?", "max_tokens": 7.0}, 40, 100, 64},
		{"ollama", "ollama", "/api/chat", "", "Authorization", "application/x-ndjson", map[string]any{"model": "m",
			"stream": true,
			"messages": []any{map[string]any{"role": "system", "content": "Be brief."}, map[string]any{"role": "user",
				"content": "Tea?"}},
			"options": map[string]any{"num_predict": 7.0}}, 62, 100, -1},
		{"ollama-generate", "ollama-generate", "/api/generate", "", "Authorization", "application/x-ndjson",
			map[string]any{"model": "m", "stream": true, "prompt": "Tea?", "system": "Be brief."}, 50, 100, -1},
		{"gemini", "gemini", "/v1beta/models/m:streamGenerateContent", "alt=sse", "X-Goog-Api-Key", "text/event-stream",
			ofGemini, 62, 100, 64},
		{"gemini", "gemini-array", "/v1beta/models/m:streamGenerateContent", "alt=sse", "X-Goog-Api-Key", "application/json",
			ofGemini, 62, 100, 64},
	} {
		t.Run(r.file, func(t *testing.T) {
			answer := testkit.Must(os.ReadFile("../dialect/testdata/apis/" + r.file + ".body"))(t)
			var got *http.Request
			var body map[string]any
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				if got = q; q.Method != http.MethodPost || q.URL.Path != r.path {
					http.NotFound(w, q)
					return
				}
				_ = json.NewDecoder(q.Body).Decode(&body)
				w.Header().Set("Content-Type", r.form)
				_, _ = w.Write(answer)
			}))
			defer s.Close()
			work := metrics.Workload{Prompt: "Tea?", System: "Be brief.", MaxTokens: 7}
			v := asked(t, s.URL, "key-1234567890", endpoint.Flags{API: r.api}, work).Snapshot()
			s.Close() // its handlers have ended: what they noted can be read
			if v.Fault != nil || v.State != metrics.Done || v.Model != "canon-1" ||
				metrics.FinishKindOf(v.Finish) != metrics.FinishStop {
				t.Errorf("%s, finish %q, model %q, %v", v.State, v.Finish, v.Model, v.Fault)
			}
			u := v.Usage
			testkit.That(t, u.Completion == r.tokens && u.Prompt == r.prompt && u.Cached == r.cached, "usage %+v", u)
			if text := contentOf(&v); len(text) < len(story) || text[:len(story)] != story {
				t.Errorf("text %q", text)
			}
			testkit.That(t, !slices.ContainsFunc(v.Notes, func(n metrics.Note) bool { return n.Code != metrics.NoteOtherModel }),
				"notes %v", v.Notes)
			testkit.That(t, got.URL.RawQuery == r.query && got.Header.Get(r.key) != "",
				"query %q, headers %v", got.URL.RawQuery, got.Header)
			for k, want := range r.body {
				if text := testkit.Must(json.Marshal(body[k]))(t); string(text) != string(testkit.Must(json.Marshal(want))(t)) {
					t.Errorf("%s is %s", k, text)
				}
			}
		})
	}
}

// TestPastedImagesOfGemini: a pasted request of Gemini with images is sent again as it was, in
// the order of its parts, and in another API with the same texts and images.
func TestPastedImagesOfGemini(t *testing.T) {
	const image = `{"inlineData":{"data":"AAAA","mimeType":"image/png"}}`
	pasted := func(image string) []byte {
		return []byte(`{"contents":[{"parts":[` + image + `,{"text":"What is this?"},` + image + `],"role":"user"},` +
			`{"parts":[{"text":"A cup."}],"role":"model"},{"parts":[{"text":"Sure?"}],"role":"user"}]}`)
	}
	for _, written := range []string{image, `{"inline_data":{"mime_type":"image/png","data":"AAAA"}}`} {
		b := testkit.Must(endpoint.ParseBody(pasted(written)))(t)
		for api, want := range map[string]string{
			"gemini": strings.TrimSuffix(string(pasted(image)), "}") + `,"generationConfig":{}}`,
			"ollama": `{"messages":[{"content":"What is this?","images":["AAAA","AAAA"],"role":"user"},` +
				`{"content":"A cup.","role":"assistant"},{"content":"Sure?","role":"user"}],"model":"m","options":{},"stream":true}`,
		} {
			_, body, err := dialect.Speaks(api).Write(&dialect.Params{}, "m", &b.Work, b.Extra)
			testkit.That(t, err == nil && string(body) == want, "%s: %v\n got %s\nwant %s", api, err, body, want)
		}
	}
}

// contentOf is the content of v, without thinking and calls.
func contentOf(v *metrics.Stream) (text string) {
	from := int32(0)
	for _, c := range v.Chunks {
		if c.Kind == metrics.Content {
			text += string(v.Text[from:c.TextEnd])
		}
		from = c.TextEnd
	}
	return text
}
