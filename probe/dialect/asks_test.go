package dialect

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/metrics/turn"
)

// asked reads a request and leaves the blocks apart.
func asked(api, method, path, body string, h ...string) (turn.Request, []turn.Block) {
	header := http.Header{}
	for i := 0; i < len(h); i += 2 {
		header.Set(h[i], h[i+1])
	}
	r := Read(api, method, path, header, []byte(body))
	blocks := r.Blocks
	r.Blocks = nil
	return r, blocks
}

func id(s string) turn.Digest { return turn.DigestOf(s) }

// TestRead: what the requests of clients say, in every API.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, api, method, path, body string
		header                        []string
		want                          turn.Request
		blocks                        string // part and role of each
	}{
		{"messages", "", "POST", "/v1/messages?beta=true&key=secret", `{"model":"claude","service_tier":"auto","speed":"fast",
			"tools":[{"name":"Read"},{"name":"Bash","cache_control":{"type":"ephemeral"}}],
			"messages":[{"role":"user","content":"hi"},
				{"role":"assistant","content":[{"type":"text","text":"I read"},{"type":"tool_use","id":"1","name":"Read","input":{}}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"x"},{"type":"text","text":"note"}]}],
			"system":[{"type":"text","text":"be good"}],"max_tokens":32000,"stream":true,
			"metadata":{"user_id":"u"}}`, []string{"X-Claude-Code-Session-Id", "s"},
			turn.Request{API: "messages", Kind: turn.Asks, Path: "/v1/messages?beta&key", Model: "claude", Tools: 2,
				Service: metrics.Service{Tier: "auto", Speed: "fast"}, Messages: 3, Session: id("s"), Answers: turn.Tool},
			"tools tools system messages/user messages/assistant messages/assistant messages/user messages/user"},
		{"messages, whole", "messages", "POST", "/v1/messages",
			`{"model":"haiku","max_tokens":512,"system":"a","messages":[{"role":"user","content":"title?"}],"metadata":{"user_id":"u"}}`, nil,
			turn.Request{API: "messages", Kind: turn.Whole, Path: "/v1/messages", Model: "haiku", Messages: 1,
				Session: id("u"), Answers: turn.Person}, "system messages/user"},
		{"messages, a probe", "", "POST", "/v1/messages",
			`{"model":"haiku","max_tokens":1,"messages":[{"role":"user","content":"quota"}]}`, nil,
			turn.Request{API: "messages", Kind: turn.WarmUp, Path: "/v1/messages", Model: "haiku", Messages: 1,
				Answers: turn.Person}, "messages/user"},
		{"messages, prefill", "", "POST", "/v1/messages",
			`{"stream":true,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"{"}]}`, nil,
			turn.Request{API: "messages", Kind: turn.Asks, Path: "/v1/messages", Messages: 2},
			"messages/user messages/assistant"},
		{"count", "", "POST", "/v1/messages/count_tokens", `{"model":"claude","messages":[{"role":"user","content":"a"}]}`,
			nil,
			turn.Request{Kind: turn.CountTokens, Path: "/v1/messages/count_tokens", Model: "claude", Messages: 1,
				Answers: turn.Person}, "messages/user"},
		{"responses", "", "POST", "/v1/responses",
			`{"type":"x","instructions":"i","tools":[{"type":"function","name":"shell"}],
			"input":[{"type":"message","role":"developer","content":[{"type":"input_text","text":"d"}]},
				{"type":"message","role":"user","content":[{"type":"input_text","text":"u"}]},
				{"type":"function_call","call_id":"1","name":"shell","arguments":"{}"},
				{"type":"function_call_output","call_id":"1","output":"o"}],"stream":true,"prompt_cache_key":"k","previous_response_id":"resp_1"}`, nil,
			turn.Request{API: "responses", Kind: turn.Asks, Path: "/v1/responses", Tools: 1, Messages: 4, Session: id("k"),
				Previous: id("resp_1"), Answers: turn.Tool},
			"tools system system/developer messages/user messages messages"},
		{"responses, a text", "", "POST", "/backend-api/codex/responses", `{"input":"hi","stream":true}`,
			[]string{"session-id", "c"},
			turn.Request{API: "responses", Kind: turn.Asks, Path: "/backend-api/codex/responses", Messages: 1, Session: id("c"),
				Answers: turn.Person},
			"messages/user"},
		{"frame", "responses-ws", "GET", "/v1/responses",
			`{"type":"response.create","model":"gpt","input":[{"role":"user","content":"u"}]}`, nil,
			turn.Request{API: "responses-ws", Kind: turn.Asks, Path: "/v1/responses", Model: "gpt", Messages: 1,
				Answers: turn.Person}, "messages/user"},
		{"warm-up", "responses-ws", "GET", "/v1/responses",
			`{"type":"response.create","generate":false,"instructions":"i","stream":true}`, nil,
			turn.Request{API: "responses-ws", Kind: turn.WarmUp, Path: "/v1/responses"}, "system"},
		{"frame of another kind", "responses-ws", "GET", "/v1/responses", `{"type":"response.processed","response_id":"1"}`,
			nil,
			turn.Request{API: "responses-ws", Path: "/v1/responses"}, ""},
		{"upgrade", "", "GET", "/v1/responses", "", nil, turn.Request{API: "responses", Path: "/v1/responses"}, ""},
		{"resume", "", "GET", "/v1/responses/resp_1?stream=true&starting_after=4", "", nil,
			turn.Request{Kind: turn.Resume, Path: "/v1/responses/resp_1?stream&starting_after"}, ""},
		{"chat", "", "POST", "/openai/deployments/d/chat/completions?api-version=1", `{"model":"m","service_tier":"flex",
			"messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"u"},{"type":"image_url","image_url":{}}]},
				{"role":"assistant","content":null,"tool_calls":[{"id":"1"}]},{"role":"tool","tool_call_id":"1","content":"r"}],"stream":true}`, nil,
			turn.Request{API: "chat", Kind: turn.Asks, Path: "/openai/deployments/d/chat/completions?api-version", Model: "m",
				Service: metrics.Service{Tier: "flex"}, Messages: 4, Answers: turn.Tool},
			"system/system messages/user messages/user messages/assistant messages/tool messages/tool"},
		{"completions", "", "POST", "/v1/completions", `{"model":"m","prompt":["a","b"],"stream":true}`, nil,
			turn.Request{API: "completions", Kind: turn.Asks, Path: "/v1/completions", Model: "m", Messages: 2},
			"messages messages"},
		{"gemini", "", "POST", "/v1beta/models/flash:streamGenerateContent?alt=sse&key=k",
			`{"system_instruction":{"parts":[{"text":"s"}]},"tools":[{"functionDeclarations":[{"name":"a"},{"name":"b"}]},{"googleSearch":{}}],
			"contents":[{"role":"user","parts":[{"text":"u"}]},{"role":"model","parts":[{"functionCall":{"name":"a"}}]},
				{"role":"user","parts":[{"functionResponse":{"name":"a"}}]}]}`, nil,
			turn.Request{API: "gemini", Kind: turn.Asks, Path: "/v1beta/models/flash:streamGenerateContent?alt&key",
				Model: "flash", Tools: 3,
				Messages: 3, Answers: turn.Tool}, "tools tools tools system messages/user messages/model messages/user"},
		{"gemini, whole", "", "POST", "/v1/models/lite:generateContent",
			`{"contents":[{"role":"user","parts":[{"text":"u"}]}]}`, nil,
			turn.Request{API: "gemini", Kind: turn.Whole, Path: "/v1/models/lite:generateContent", Model: "lite", Messages: 1,
				Answers: turn.Person}, "messages/user"},
		{"ollama", "", "POST", "/api/chat", `{"model":"q","messages":[{"role":"user","content":"u"}]}`, nil,
			turn.Request{API: "ollama", Kind: turn.Asks, Path: "/api/chat", Model: "q", Messages: 1, Answers: turn.Person},
			"messages/user"},
		{"ollama, whole", "", "POST", "/api/generate", `{"model":"q","system":"s","prompt":"u","stream":false}`, nil,
			turn.Request{API: "ollama-generate", Kind: turn.Whole, Path: "/api/generate", Model: "q", Messages: 1,
				Answers: turn.Person}, "system messages/user"},
		{"models", "", "GET", "/v1/models?limit=1", "", nil, turn.Request{Kind: turn.Models, Path: "/v1/models?limit"}, ""},
		{"hello", "", "HEAD", "/api/hello", "", nil, turn.Request{Kind: turn.Hello, Path: "/api/hello"}, ""},
		{"embeddings", "", "POST", "/v1/embeddings", `{"model":"m","input":"x","stream":true}`, nil,
			turn.Request{Path: "/v1/embeddings", Model: "m", Messages: 1, Answers: turn.Person}, "messages/user"},
	} {
		got, blocks := asked(c.api, c.method, c.path, c.body, c.header...)
		c.want.Method, c.want.Bytes = c.method, len(c.body)
		testkit.Same(t, got, c.want, c.name)
		var all []string
		for _, b := range blocks {
			all = append(all, strings.TrimSuffix(b.Part.String()+"/"+b.Role, "/"))
			testkit.That(t, b.Digest != 0 && b.Bytes != 0, "%s: a block without bytes: %+v", c.name, b)
		}
		testkit.Is(t, strings.Join(all, " "), c.blocks, c.name, "blocks")
	}
}

// TestReadOwnRequests: a request of tokscope is a turn in every API of the table.
func TestReadOwnRequests(t *testing.T) {
	for _, a := range apis {
		w := metrics.Workload{Prompt: "hi", System: "be good", MaxTokens: 100}
		_, body, err := a.Write(&Params{MaxField: "max_tokens"}, "m", &w, nil)
		if err != nil {
			t.Fatal(a.Name, err)
		}
		name := a.Name
		if a.Ends == nil {
			name = "" // the address tells it
		}
		u := testkit.Must(url.Parse(a.URL("https://h/v1", "m")))(t)
		got, blocks := asked(name, "POST", u.RequestURI(), string(body))
		if got.API != a.Name || got.Kind != turn.Asks || got.Model != "m" || got.Answers != turn.Person || len(blocks) == 0 {
			t.Errorf("%s: %+v of %s", a.Name, got, body)
		}
	}
}

// TestReadNotUnderstood: what is no request of an API is none of a turn.
func TestReadNotUnderstood(t *testing.T) {
	for _, body := range []string{"", "null", "[]", `"x"`, `{"stream":true`, `{"stream":true}x`,
		`{"messages":[` + strings.Repeat(`"x",`, mostBlocks) + `"x"]}`,
		`{"messages":` + strings.Repeat("[", 1e5) + strings.Repeat("]", 1e5) + `}`} {
		if got, _ := asked("", "POST", "/v1/messages", body); got.Kind != turn.Other || got.Path != "/v1/messages" ||
			got.Bytes != len(body) {
			t.Errorf("%.40s: %+v", body, got)
		}
	}
}

// TestBlocksOfTheSamePrompt: what a cache takes for the same is the same, and nothing else is.
func TestBlocksOfTheSamePrompt(t *testing.T) {
	blocks := func(message string) []turn.Block {
		_, b := asked("", "POST", "/v1/messages", `{"messages":[`+message+`]}`)
		return b
	}
	text := blocks(`{"role":"user","content":"a \"b\""}`)
	for _, same := range []string{
		`{"role":"user","content":[{"type":"text","text":"a \"b\""}]}`,
		`{"content":[{"text":"a \"b\"","type":"text","cache_control":{"type":"ephemeral"}}],"role":"user"}`,
	} {
		if got := blocks(same); !slices.Equal(got, text) {
			t.Errorf("%s: %+v, want %+v", same, got, text)
		}
	}
	for _, other := range []string{
		`{"role":"assistant","content":"a \"b\""}`,
		`{"role":"user","content":"a 'b'"}`,
		`{"role":"user","content":[{"type":"text","text":"a \"b\"","citations":{}}]}`,
		`{"role":"user","content":[{"type":"document","text":"a \"b\""}]}`,
		`{"role":"user","content":"a \"b\"","name":"x"}`,
	} {
		if got := blocks(other); slices.Equal(got, text) {
			t.Errorf("%s is the same as %+v", other, got)
		}
	}
	a := blocks(`{"role":"user","content":[{"type":"tool_result","content":"r","cache_control":{"type":"ephemeral"}}]}`)
	if b := blocks(`{"role":"user","content":[{"type":"tool_result","content":"r"}]}`); !slices.Equal(a, b) {
		t.Errorf("cache_control makes another block: %+v, %+v", a, b)
	}
}

// FuzzRead: any request is read the same twice, with blocks in the order of a cache that have
// no more bytes than the body. But a byte of a key that is no UTF-8 becomes six.
func FuzzRead(f *testing.F) {
	for _, path := range []string{"/v1/messages", "/v1/responses", "/v1/chat/completions",
		"/v1/models/m:streamGenerateContent?key=x", "/api/chat"} {
		for _, body := range []string{
			`{"model":"m","tools":[{"functionDeclarations":[{}]},{"name":"a"}],"system":[{"type":"text","text":"s"}],"stream":true,
				"messages":[{"role":"system","content":"x"},{"role":"user","content":[{"type":"tool_result"},{"text":"u"}]}]}`,
			`{"type":"response.create","generate":false,"max_tokens":1,"previous_response_id":"r","instructions":"i",
				"input":[{"type":"function_call_output","output":"o"}],"metadata":{"user_id":"u"}}`,
			`{"systemInstruction":{"parts":[{"text":"s"}]},"contents":[{"role":"user","parts":[{"functionResponse":{}}]}]}`,
			`{"prompt":["a",1,null,{"content":{"parts":{"parts":[]}}}]}`,
		} {
			f.Add("", path, []byte(body))
			f.Add("responses-ws", path, []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, api, path string, body []byte) {
		got := Read(api, http.MethodPost, path, nil, body)
		testkit.Same(t, got, Read(api, http.MethodPost, path, nil, body))
		bytes, last := 0, turn.Tools
		for _, b := range got.Blocks {
			if bytes += b.Bytes; b.Part < last || b.Digest == 0 {
				t.Errorf("%+v behind %s", b, last)
			}
			last = b.Part
		}
		testkit.That(t, bytes <= 6*len(body) && got.Kind < turn.Kinds && got.Messages >= 0 && got.Tools <= len(got.Blocks),
			"%d bytes of %d; %+v", bytes, len(body), got)
	})
}
