package sim

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
)

// question is a request that each API can express.
type question struct {
	model, system, prompt string
	max                   int
	stream                bool
	parameters            string // of the tool "shell"; "" for no tools
	choice                string // auto, none, required or the name of a tool; "" unsaid
	role                  string // of the last message; "" for the user's
	more                  string // further fields, from a comma on
}

// piece is what a reader finds: think, text, name, args, finish, error, and the counts
// prompt, cached, output and thought.
type piece struct{ kind, text string }

// spoken is an API as its clients know it.
type spoken struct {
	name   string
	header []string
	ask    func(a question) (path, body string)
	read   func(doc any, add func(kind string, v any))
	finish map[string]string // its words for chat's reasons
	auto   bool              // no call can be forced
}

// at returns what stands at a path of names and positions, nil for nothing.
func at(doc any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		switch v := doc.(type) {
		case map[string]any:
			doc = v[name]
		case []any:
			if i, err := strconv.Atoi(name); err == nil && i < len(v) {
				doc = v[i]
				continue
			}
			return nil
		default:
			return nil
		}
	}
	return doc
}

// list returns the items at a path.
func list(doc any, path string) []any {
	l, _ := at(doc, path).([]any)
	return l
}

func quote(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

var speakers = []spoken{
	{name: "chat", finish: map[string]string{"stop": "stop", "length": "length", "tool_calls": "tool_calls"},
		ask: func(a question) (string, string) {
			b := fmt.Sprintf(`{"model":%s,"messages":[{"role":"system","content":%s},{"role":"user","content":%s}`,
				quote(a.model), quote(a.system), quote(a.prompt))
			if a.role == "tool" {
				b += `,{"role":"tool","tool_call_id":"c","content":"done"}`
			}
			b += fmt.Sprintf(`],"stream":%t`, a.stream)
			if a.max < 5000 { // else it is only a cap, which chat does not know
				b += fmt.Sprintf(`,"max_tokens":%d`, a.max)
			}
			if a.stream {
				b += `,"stream_options":{"include_usage":true}`
			}
			if a.parameters != "" {
				b += `,"tools":[{"type":"function","function":{"name":"shell","parameters":` + a.parameters +
					`}},{"type":"function","function":{"name":"other"}}]`
			}
			switch a.choice {
			case "":
			case "shell":
				b += `,"tool_choice":{"type":"function","function":{"name":"shell"}}`
			default:
				b += `,"tool_choice":"` + a.choice + `"`
			}
			return "/v1/chat/completions", b + a.more + "}"
		},
		read: func(doc any, add func(string, any)) {
			for _, of := range []string{"delta", "message"} {
				m := at(doc, "choices.0."+of)
				add("think", at(m, "reasoning_content"))
				add("text", at(m, "content"))
				add("name", at(m, "tool_calls.0.function.name"))
				add("args", at(m, "tool_calls.0.function.arguments"))
			}
			add("finish", at(doc, "choices.0.finish_reason"))
			u := at(doc, "usage")
			add("prompt", at(u, "prompt_tokens"))
			add("cached", at(u, "prompt_tokens_details.cached_tokens"))
			add("output", at(u, "completion_tokens"))
			add("thought", at(u, "completion_tokens_details.reasoning_tokens"))
			add("error", at(doc, "error.message"))
		}},
	{name: "messages", header: []string{"Anthropic-Version", "2026-10-21"},
		finish: map[string]string{"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"},
		ask: func(a question) (string, string) {
			b := fmt.Sprintf(`{"model":%s,"system":[{"type":"text","text":%s,"cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":%s}`,
				quote(a.model), quote(a.system), quote(a.prompt))
			if a.role == "tool" {
				b += `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"done"}]}]}`
			}
			b += fmt.Sprintf(`],"max_tokens":%d,"stream":%t,"metadata":{"user_id":"u"}`, a.max, a.stream)
			if a.parameters != "" {
				b += `,"tools":[{"name":"shell","input_schema":` + a.parameters + `},{"name":"other","type":"custom"}]`
			}
			switch a.choice {
			case "":
			case "shell":
				b += `,"tool_choice":{"type":"tool","name":"shell"}`
			default:
				b += `,"tool_choice":{"type":"` + strings.Replace(a.choice, "required", "any", 1) + `"}`
			}
			return "/v1/messages?beta=true", b + a.more + "}"
		},
		read: func(doc any, add func(string, any)) {
			usage := at(doc, "usage")
			switch at(doc, "type") {
			case "content_block_start":
				add("name", at(doc, "content_block.name"))
			case "content_block_delta":
				add("think", at(doc, "delta.thinking"))
				add("text", at(doc, "delta.text"))
				add("args", at(doc, "delta.partial_json"))
			case "message_delta":
				add("finish", at(doc, "delta.stop_reason"))
			case "message":
				for _, block := range list(doc, "content") {
					add("think", at(block, "thinking"))
					add("text", at(block, "text"))
					add("name", at(block, "name"))
					if at(block, "type") == "tool_use" {
						add("args", quote(at(block, "input")))
					}
				}
				add("finish", at(doc, "stop_reason"))
			default:
				usage = nil
			}
			if usage != nil {
				cached, _ := at(usage, "cache_read_input_tokens").(float64)
				fresh, _ := at(usage, "input_tokens").(float64)
				add("prompt", fresh+cached)
				add("cached", cached)
			}
			add("output", at(usage, "output_tokens"))
			add("thought", at(usage, "output_tokens_details.thinking_tokens"))
			add("error", at(doc, "error.message"))
		}},
	{name: "responses", finish: map[string]string{"stop": "completed", "length": "incomplete", "tool_calls": "completed"},
		ask: func(a question) (string, string) {
			b := fmt.Sprintf(`{"model":%s,"instructions":%s,"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":%s}]}`,
				quote(a.model), quote(a.system), quote(a.prompt))
			if a.role == "tool" {
				b += `,{"type":"function_call","call_id":"c","name":"shell","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"done"}`
			}
			b += fmt.Sprintf(`],"max_output_tokens":%d,"stream":%t,"store":false,"client_metadata":{"a":"b"}`, a.max, a.stream)
			if a.parameters != "" {
				b += `,"tools":[{"type":"web_search"},{"type":"function","name":"shell","parameters":` + a.parameters +
					`},{"type":"function","name":"other"}]`
			}
			switch a.choice {
			case "":
			case "shell":
				b += `,"tool_choice":{"type":"function","name":"shell"}`
			default:
				b += `,"tool_choice":"` + a.choice + `"`
			}
			return "/v1/responses", b + a.more + "}"
		},
		read: func(doc any, add func(string, any)) {
			kind, _ := at(doc, "type").(string)
			switch kind {
			case "response.output_item.added":
				add("name", at(doc, "item.name"))
			case "response.reasoning_text.delta":
				add("think", at(doc, "delta"))
			case "response.output_text.delta":
				add("text", at(doc, "delta"))
			case "response.function_call_arguments.delta":
				add("args", at(doc, "delta"))
			}
			add("error", at(doc, "error.message"))
			end := doc
			if kind != "" {
				end = at(doc, "response")
			} else {
				for _, item := range list(doc, "output") {
					of := "text"
					if at(item, "type") == "reasoning" {
						of = "think"
					}
					add(of, at(item, "content.0.text"))
					add("name", at(item, "name"))
					add("args", at(item, "arguments"))
				}
			}
			if status := at(end, "status"); status != "in_progress" {
				add("finish", status)
			}
			add("prompt", at(end, "usage.input_tokens"))
			add("cached", at(end, "usage.input_tokens_details.cached_tokens"))
			add("output", at(end, "usage.output_tokens"))
			add("thought", at(end, "usage.output_tokens_details.reasoning_tokens"))
		}},
	geminiSpeaker("gemini", "/v1beta", "?alt=sse", false),
	geminiSpeaker("gemini-array", "/v1", "", true),
	ollamaSpeaker("ollama", func(a question) (string, string) {
		b := fmt.Sprintf(`"messages":[{"role":"system","content":%s},{"role":"user","content":%s}`, quote(a.system),
			quote(a.prompt))
		if a.role == "tool" {
			b += `,{"role":"tool","tool_name":"shell","content":"done"}`
		}
		if b += "]"; a.parameters != "" && a.choice != "none" {
			b += `,"tools":[{"type":"function","function":{"name":"shell","parameters":` + a.parameters +
				`}},{"type":"function","function":{"name":"other"}}]`
		}
		return "/api/chat", b
	}),
	ollamaSpeaker("ollama-generate", func(a question) (string, string) {
		return "/api/generate", fmt.Sprintf(`"system":%s,"prompt":%s`, quote(a.system), quote(a.prompt))
	}),
}

// geminiSpeaker is Gemini at a version, with its fields in one of the two spellings.
func geminiSpeaker(name, version, query string, snake bool) spoken {
	return spoken{name: name, finish: map[string]string{"stop": "STOP", "length": "MAX_TOKENS", "tool_calls": "STOP"},
		ask: func(a question) (string, string) {
			b := fmt.Sprintf(`{"systemInstruction":{"parts":[{"text":%s}]},"contents":[{"role":"user","parts":[{"text":%s}]}`,
				quote(a.system), quote(a.prompt))
			if a.role == "tool" {
				b += `,{"role":"user","parts":[{"functionResponse":{"name":"shell"}},{"text":"done"}]}`
			}
			b += fmt.Sprintf(`],"generationConfig":{"maxOutputTokens":%d,"thinkingConfig":{"includeThoughts":true}}`, a.max)
			if a.parameters != "" {
				b += `,"tools":[{"functionDeclarations":[{"name":"shell","parameters":` + a.parameters + `},{"name":"other"}]}]`
			}
			switch a.choice {
			case "":
			case "shell":
				b += `,"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["shell"]}}`
			default:
				b += `,"toolConfig":{"functionCallingConfig":{"mode":"` + strings.ToUpper(strings.Replace(a.choice, "required",
					"any", 1)) + `"}}`
			}
			if snake {
				for _, x := range [][2]string{{"includeThoughts", "include_thoughts"}, {"maxOutputTokens", "max_output_tokens"},
					{"systemInstruction", "system_instruction"}, {"functionDeclarations", "function_declarations"},
					{"functionCallingConfig", "function_calling_config"}} {
					b = strings.Replace(b, x[0], x[1], 1)
				}
			}
			method := ":generateContent"
			if a.stream {
				method = ":streamGenerateContent" + query
			}
			return version + "/models/" + a.model + method, b + a.more + "}"
		},
		read: func(doc any, add func(string, any)) {
			for _, part := range list(doc, "candidates.0.content.parts") {
				of := "text"
				if at(part, "thought") == true {
					of = "think"
				}
				add(of, at(part, "text"))
				add("name", at(part, "functionCall.name"))
				add("args", at(part, "functionCall.args"))
			}
			add("finish", at(doc, "candidates.0.finishReason"))
			if u := at(doc, "usageMetadata"); u != nil {
				said, _ := at(u, "candidatesTokenCount").(float64)
				thought, _ := at(u, "thoughtsTokenCount").(float64)
				add("prompt", at(u, "promptTokenCount"))
				add("cached", at(u, "cachedContentTokenCount"))
				add("output", said+thought)
				add("thought", thought)
			}
			add("error", at(doc, "error.message"))
		}}
}

// ollamaSpeaker is one of Ollama's two routes, which has no way to force a call.
func ollamaSpeaker(name string, ask func(a question) (path, body string)) spoken {
	return spoken{name: name, finish: map[string]string{"stop": "stop", "length": "length", "tool_calls": "stop"},
		auto: true,
		ask: func(a question) (string, string) {
			path, b := ask(a)
			b = fmt.Sprintf(`{"model":%s,%s,"options":{"num_predict":%d,"num_ctx":4096},"keep_alive":"5m"`, quote(a.model), b,
				a.max)
			if !a.stream {
				b += `,"stream":false`
			}
			return path, b + a.more + "}"
		},
		read: func(doc any, add func(string, any)) {
			m := at(doc, "message")
			if m == nil {
				add("text", at(doc, "response"))
				m = doc
			}
			add("think", at(m, "thinking"))
			add("text", at(m, "content"))
			add("name", at(m, "tool_calls.0.function.name"))
			add("args", at(m, "tool_calls.0.function.arguments"))
			add("finish", at(doc, "done_reason"))
			add("prompt", at(doc, "prompt_eval_count"))
			add("output", at(doc, "eval_count"))
			add("error", at(doc, "error"))
		}}
}

// pieces reads what was written of an answer.
func (s *spoken) pieces(t rapid.TB, body string) (found []piece) {
	t.Helper()
	body = strings.ReplaceAll(body, "\r\n", "\n")
	for event := range strings.SplitSeq(body, "\n") {
		if data, ok := strings.CutPrefix(event, "data: "); ok {
			event = data
		}
		event = strings.TrimPrefix(event, "[")
		if !strings.HasPrefix(event, "{") {
			continue
		}
		var doc any
		err := json.Unmarshal([]byte(event), &doc)
		testkit.Given(t, err == nil, "%s: %v in %s", s.name, err, event)
		s.read(doc, func(kind string, v any) {
			switch v := v.(type) {
			case nil:
			case string:
				if v != "" {
					found = append(found, piece{kind, v})
				}
			case float64:
				found = append(found, piece{kind, strconv.Itoa(int(v))})
			default:
				found = append(found, piece{kind, quote(v)})
			}
		})
	}
	return found
}

// request returns the request for an ask.
func (s *spoken) request(a question) *http.Request {
	path, body := s.ask(a)
	r := recorded("POST", path, body)
	for i := 0; i+1 < len(s.header); i += 2 {
		r.Header.Set(s.header[i], s.header[i+1])
	}
	return r
}

// folded joins what was found, by kind. Of a count the last value counts.
func folded(found []piece) map[string]string {
	all := map[string]string{}
	for _, p := range found {
		switch p.kind {
		case "prompt", "cached", "output", "thought":
			all[p.kind] = p.text
		default:
			all[p.kind] += p.text
		}
	}
	return all
}

// stamped is a response whose every write has its time.
type stamped struct {
	*httptest.ResponseRecorder
	began time.Time
	list  []stamp
}

type stamp struct {
	at   time.Duration
	body string
}

func (s *stamped) Write(b []byte) (int, error) {
	s.list = append(s.list, stamp{time.Since(s.began), string(b)})
	return s.ResponseRecorder.Write(b)
}

const thinker = "qwen3-8b@h100"

var asks = []struct {
	name string
	question
}{
	{"text", question{model: DefaultModel, max: 30}},
	{"thinking", question{model: thinker, max: 90}},
	{"to its end", question{model: DefaultModel, max: 5000}},
	{"a tool", question{model: thinker, max: 300,
		parameters: `{"type":"object","properties":{"command":{"type":"string"},"n":{"type":"integer"}},"required":["command","n"]}`, choice: "required"}},
	{"a tool that may be called", question{model: DefaultModel, max: 20, parameters: `{"type":"object"}`, choice: "auto"}},
	{"a result", question{model: DefaultModel, max: 20, parameters: `{"type":"object"}`, role: "tool"}},
}

// TestAPIsAnswerAlike holds that an answer has the same text, counts, reason and times in
// every API, streamed and whole.
func TestAPIsAnswerAlike(t *testing.T) {
	for _, x := range asks {
		t.Run(x.name, func(t *testing.T) {
			a := x.question
			a.system, a.prompt = "You are brief. "+strings.Repeat("Say no more than is asked. ", 12), "Wie antwortet ein Server?"
			var times []time.Duration
			var want map[string]string
			for i := range speakers {
				s := &speakers[i]
				if s.auto && a.choice == "required" || s.name == "ollama-generate" && a.parameters != "" {
					continue
				}
				synctest.Test(t, func(t *testing.T) {
					srv, h := served(t, Options{Speed: 1, Sleep: time.Sleep})
					defer srv.stopEngines()
					for _, stream := range []bool{true, false} {
						a.stream = stream
						w := &stamped{ResponseRecorder: httptest.NewRecorder(), began: time.Now()}
						h.ServeHTTP(w, s.request(a))
						got := folded(s.pieces(t, w.Body.String()))
						got["finish"] = s.reason(got)
						testkit.Given(t, w.Code == 200 && got["output"] != "", "%s: %d %s", s.name, w.Code, w.Body)
						cached := got["cached"]
						delete(got, "cached")
						s.tidy(got)
						if want == nil {
							want = got
						}
						if strings.HasPrefix(s.name, "ollama") {
							got["thought"] = want["thought"] // it has no such count
						}
						s.compare(t, stream, got, want)
						if !stream {
							testkit.That(t, s.name != "chat" || cached != "0", "the second request finds nothing in the cache")
							continue
						}
						var at []time.Duration // of text and thoughts
						for _, st := range w.list {
							for _, p := range s.pieces(t, st.body) {
								if p.kind == "text" || p.kind == "think" {
									at = append(at, st.at)
								}
							}
						}
						if times == nil {
							times = at
						}
						testkit.That(t, slices.Equal(at, times), "%s: written at %v, chat at %v", s.name, at, times)
					}
				})
			}
		})
	}
}

// reason is the reason of the end in chat's words.
func (s *spoken) reason(got map[string]string) string {
	for chat, word := range s.finish {
		if word == got["finish"] && (chat == "tool_calls") == (got["name"] != "") {
			return chat
		}
	}
	return "unknown: " + got["finish"]
}

// tidy makes figures comparable that APIs leave out where they are 0.
func (s *spoken) tidy(got map[string]string) {
	got["thought"] = cmp.Or(got["thought"], "0")
	if args := got["args"]; args != "" {
		var v any
		_ = json.Unmarshal([]byte(args), &v)
		got["args"] = quote(v)
	}
}

func (s *spoken) compare(t *testing.T, stream bool, got, want map[string]string) {
	t.Helper()
	for _, kind := range []string{"think", "text", "name", "args", "finish", "prompt", "output", "thought"} {
		if got[kind] != want[kind] {
			t.Errorf("%s, streamed %t: %s is %q, in chat %q", s.name, stream, kind, got[kind], want[kind])
		}
	}
}

// TestNoAPIExecutesPrompts holds in every API that no word of a prompt can be executed: a
// tool is called only where the request forces it, and its arguments say nothing.
func TestNoAPIExecutesPrompts(t *testing.T) {
	_, h := served(t, Options{Speed: 1000})
	rapid.Check(t, func(t *rapid.T) {
		s := &speakers[rapid.IntRange(0, len(speakers)-1).Draw(t, "api")]
		prompt := strings.Join(rapid.SliceOfN(rapid.SampledFrom(commands), 1, 6).Draw(t, "prompt"), " ")
		a := question{model: DefaultModel, system: prompt, prompt: prompt, max: 30,
			stream:     rapid.Bool().Draw(t, "stream"),
			parameters: rapid.SampledFrom(shells).Draw(t, "parameters"),
			choice:     rapid.SampledFrom([]string{"", "auto", "none", "required", "shell"}).Draw(t, "choice"),
			role:       rapid.SampledFrom([]string{"", "tool"}).Draw(t, "role")}
		w := answered(h, s.request(a))
		testkit.Given(t, w.Code == 200, "%s: %d %s", s.name, w.Code, w.Body)
		got := folded(s.pieces(t, w.Body.String()))
		forced := (a.choice == "required" || a.choice == "shell") && !s.auto
		if (got["name"] != "") != forced {
			t.Fatalf("%s, choice %q: call of %q", s.name, a.choice, got["name"])
		}
		if !forced {
			return
		}
		var args map[string]any
		if err := json.Unmarshal([]byte(got["args"]), &args); err != nil {
			t.Fatalf("%s: %s: %v", s.name, got["args"], err)
		}
		for _, text := range textsIn(args) {
			if strings.Trim(text, "x") != "" {
				t.Fatalf("%s: %s gets %s", s.name, a.parameters, got["args"])
			}
		}
	})
}

// TestScenarioCallsInEveryAPI holds that a scenario's call is made as it is written, until
// its result is there.
func TestScenarioCallsInEveryAPI(t *testing.T) {
	const arguments = `{"command":"ls -l","n":3}`
	_, h := served(t, Options{Scenario: "tool shell " + arguments})
	for i := range speakers {
		s := &speakers[i]
		for _, stream := range []bool{true, false} {
			if s.name == "ollama-generate" {
				continue // without tools
			}
			a := question{model: DefaultModel, system: "s", prompt: "list", max: 60, stream: stream,
				parameters: `{"type":"object"}`}
			got := folded(s.pieces(t, answered(h, s.request(a)).Body.String()))
			testkit.That(t, got["name"] == "shell" && got["args"] == arguments && got["text"] == "",
				"%s, streamed %t: %q", s.name, stream, got)
			a.role = "tool"
			got = folded(s.pieces(t, answered(h, s.request(a)).Body.String()))
			testkit.That(t, got["name"] == "" && got["text"] != "", "%s, streamed %t: after the result %q", s.name, stream, got)
		}
	}
}

// TestErrorsInEveryAPI holds that each API has its own form of an error, before the answer
// and inside it.
func TestErrorsInEveryAPI(t *testing.T) {
	_, h := served(t, Options{Key: "k"})
	ok := question{model: DefaultModel, system: "s", prompt: "p", max: 40, stream: true}
	unknown := ok
	unknown.model = "nobody@h100"
	for i := range speakers {
		s := &speakers[i]
		forms := errorForms[strings.TrimSuffix(strings.TrimSuffix(s.name, "-generate"), "-array")]
		for _, x := range []struct {
			name     string
			ask      question
			key      string
			scenario string
		}{
			{"key", ok, "wrong", ""},
			{"model", unknown, "k", ""},
			{"limit", ok, "k", "rate-limit"},
			{"overload", ok, "k", "overloaded"},
			{"inside", ok, "k", "error-in-stream"},
		} {
			w := answered(h, s.request(x.ask), "Authorization", "Bearer "+x.key, "X-Sim-Scenario", x.scenario)
			body := w.Body.String()
			form := forms[x.name]
			testkit.That(t, w.Code == form.status && strings.Contains(body, form.body),
				"%s, %s: %d %s", s.name, x.name, w.Code, body)
			if got := folded(s.pieces(t, body)); got["error"] == "" || x.name == "inside" && got["text"] == "" {
				t.Errorf("%s, %s: no message in %s", s.name, x.name, body)
			}
			testkit.That(t, x.name != "inside" || strings.Contains(body, "[DONE]") == (s.name == "chat"), "%s: %s", s.name, body)
			if x.name == "limit" && w.Header().Get("Retry-After") != "7" {
				t.Errorf("%s: %v", s.name, w.Header())
			}
		}
	}
}

type errorForm struct {
	status int
	body   string
}

var errorForms = map[string]map[string]errorForm{
	"chat": {"key": {401, `"code":"invalid_api_key"`}, "model": {404, `"code":"model_not_found"`},
		"limit":    {429, `{"error":{"message":"Rate limit`},
		"overload": {503, `"type":"overloaded_error"`}, "inside": {200, `data: {"error":{`}},
	"messages": {"key": {401, `{"type":"error","error":{"type":"authentication_error"`},
		"model": {404, `"not_found_error"`}, "limit": {429, `"rate_limit_error"`},
		"overload": {529, `"overloaded_error"`},
		"inside":   {200, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\""}},
	"gemini": {"key": {401, `{"error":{"code":401,`}, "model": {404, `"status":"NOT_FOUND"`},
		"limit":    {429, `"status":"RESOURCE_EXHAUSTED"`},
		"overload": {503, `"status":"UNAVAILABLE"`}, "inside": {200, `{"error":{"code":500,`}},
	"ollama": {"key": {401, `{"error":"the key`}, "model": {404, `{"error":"`}, "limit": {429, `{"error":"Rate limit`},
		"overload": {503, `{"error":"`}, "inside": {200, "\n{\"error\":\""}},
	"responses": {"key": {401, `"code":"invalid_api_key"`}, "model": {404, `"code":"model_not_found"`},
		"limit":    {429, `{"error":{"message":"Rate limit`},
		"overload": {503, `"type":"overloaded_error"`}, "inside": {200, `data: {"type":"error","sequence_number":`}},
}

// TestKeysOfEveryAPI: a key is taken as every client sends it.
func TestKeysOfEveryAPI(t *testing.T) {
	_, h := served(t, Options{Key: "k y"})
	for _, header := range []string{"X-Api-Key", "X-Goog-Api-Key", "Api-Key", "Authorization"} {
		for key, want := range map[string]int{"k y": 200, "other": 401} {
			if header == "Authorization" {
				key = "Bearer " + key
			}
			testkit.Is(t, answered(h, recorded("GET", "/v1/models", ""), header, key).Code, want, header, key)
		}
	}
	w := answered(h, recorded("GET", "/v1/models", ""), "Authorization", "Basic eA==", "Api-Key", "k y")
	testkit.That(t, w.Code == 200, "beside another authorization: %d", w.Code)
	for query, want := range map[string]int{"?key=k+y": 200, "?key=other": 401, "": 401} {
		testkit.Is(t, answered(h, recorded("GET", "/v1/models"+query, "")).Code, want, query)
	}
}

// TestAliveInEveryAPI: before the first token a stream shows that it lives where the
// clients of its API bear that, and in the form that they bear.
func TestAliveInEveryAPI(t *testing.T) {
	for i := range speakers {
		s := &speakers[i]
		synctest.Test(t, func(t *testing.T) {
			srv, h := served(t, Options{Speed: 0.1, Sleep: time.Sleep})
			defer srv.stopEngines()
			w := answered(h, s.request(question{model: DefaultModel, prompt: "p", max: 2, stream: true}),
				"X-Sim-Scenario", "keep-alive 10ms; comment hello", "X-Sim-Truth", "queue")
			body := w.Body.String()
			alive := aliveForms[s.name]
			before, _, _ := strings.Cut(body, folded(s.pieces(t, body))["text"][:2])
			testkit.That(t, alive == "" || strings.Count(before, alive) >= 2, "%s: no %q in %s", s.name, alive, body)
			comments := strings.Contains(body, "\n: ") || strings.HasPrefix(body, ": ")
			testkit.That(t, comments == (alive != ""), "%s: comments %t in %s", s.name, comments, body)
		})
	}
}

var aliveForms = map[string]string{"chat": ": keep-alive\n\n",
	"messages": "event: ping\ndata: {\"type\":\"ping\"}\n\n", "responses": ": keep-alive\n\n"}

// types returns the types of a stream's events, each run of one type once.
func types(body string) string {
	var all []string
	for line := range strings.Lines(body) {
		if kind, ok := strings.CutPrefix(strings.TrimSpace(line), "event: "); ok {
			all = append(all, kind)
		}
	}
	return strings.Join(slices.Compact(all), " ")
}
