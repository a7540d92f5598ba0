package sim

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

const ask = `{"messages":[{"role":"user","content":"How does a server answer?"}]`

func stream(t *testing.T, s *Server, fields string, header ...string) ([]chunk, []string) {
	t.Helper()
	code, _, body := post(t, s, "/chat/completions", ask+`,"stream":true,`+fields+`}`, header...)
	testkit.Need(t, code, 200, body)
	list, notes, done := events(t, body)
	testkit.Given(t, done, "no [DONE] in %s", body)
	return list, notes
}

func TestCompletionsRoute(t *testing.T) {
	s := start(t, Options{})
	code, _, body := post(t, s, "/completions",
		`{"prompt":"Once","max_tokens":12,"stream":true,"stream_options":{"include_usage":true}}`)
	list, _, done := events(t, body)
	text, chunks := said(list)
	if code != 200 || !done || chunks != 12 || text == "" || !strings.Contains(body, `"object":"text_completion"`) {
		t.Errorf("%d, %d chunks: %s", code, chunks, body)
	}
	_, _, body = post(t, s, "/completions", `{"prompt":["Once"],"logprobs":1}`)
	var a struct {
		Choices []struct{ Text string }
		Usage   struct {
			CompletionTokens int `json:"completion_tokens"`
		}
	}
	if err := json.Unmarshal([]byte(body), &a); err != nil || a.Usage.CompletionTokens != 16 || a.Choices[0].Text == "" ||
		!strings.Contains(body, `"token_logprobs":[-`) {
		t.Errorf("%v: %s", err, body)
	}
	_, _, body = post(t, s, "/completions", `{"prompt":[1,2,3,4,5],"max_tokens":1}`)
	testkit.Has(t, body, `"prompt_tokens":5`)
}

func TestContinuousUsageCountsUp(t *testing.T) {
	s := start(t, Options{})
	list, _ := stream(t, s, `"max_tokens":10,"stream_options":{"include_usage":true,"continuous_usage_stats":true}`)
	was := -1
	for i, c := range list {
		testkit.Given(t, c.Usage != nil, "event %d has no usage", i)
		n := c.Usage.CompletionTokens
		testkit.That(t, n >= was && n <= was+1, "event %d: %d tokens after %d", i, n, was)
		was = c.Usage.CompletionTokens
	}
	testkit.Is(t, was, 10, "tokens at the end")
}

func TestSeveralChoicesShareThePrompt(t *testing.T) {
	s := start(t, Options{})
	list, _ := stream(t, s, `"max_tokens":8,"n":3,"stream_options":{"include_usage":true}`)
	got := map[int]string{}
	for _, c := range list {
		for _, x := range c.Choices {
			if x.Delta.Content != nil {
				got[x.Index] += *x.Delta.Content
			}
		}
	}
	u := list[len(list)-1].Usage
	testkit.That(t, len(got) == 3 && got[0] != got[1] && u != nil && u.CompletionTokens == 24, "%v, usage %+v", got, u)
}

func TestStopSequences(t *testing.T) {
	s := start(t, Options{})
	list, _ := stream(t, s, `"max_tokens":60`)
	whole, _ := said(list)
	word := strings.Fields(whole)[5]
	cut, _, _ := strings.Cut(whole, " "+word)
	list, _ = stream(t, s, `"max_tokens":60,"stop":["never said"," `+word+`"]`)
	text, _ := said(list)
	testkit.Is(t, text, cut)
	f := list[len(list)-1].Choices[0].FinishReason
	testkit.That(t, f != nil && *f == "stop", "finish %v", f)
}

func TestAnswerWithoutLimitEndsWithAPassage(t *testing.T) {
	s := start(t, Options{})
	list, _ := stream(t, s, `"seed":3`)
	text, chunks := said(list)
	if f := list[len(list)-1].Choices[0].FinishReason; f == nil || *f != "stop" || chunks < naturalLength ||
		!strings.HasSuffix(text, ".") {
		t.Errorf("finish %v after %d chunks: …%q", f, chunks, text[max(0, len(text)-40):])
	}
	other, _ := stream(t, s, `"seed":4`)
	o, _ := said(other)
	testkit.That(t, o != text, "another seed gives the same text")
}

func TestReasoningComesFirst(t *testing.T) {
	s := start(t, Options{})
	list, _ := stream(t, s, `"model":"qwen3-8b@h100","max_tokens":90,"stream_options":{"include_usage":true}`)
	thought, answered := 0, 0
	for _, c := range list {
		for _, x := range c.Choices {
			if x.Delta.ReasoningContent != "" {
				thought++
				testkit.Given(t, answered <= 0, "it thinks after it has answered")
			}
			if x.Delta.Content != nil && *x.Delta.Content != "" {
				answered++
			}
		}
	}
	u := list[len(list)-1].Usage
	testkit.That(t, thought == 30 && answered == 60 && u.Completion.Reasoning == 30 && u.CompletionTokens == 90,
		"%d thoughts, %d answers, usage %+v", thought, answered, u)
	for _, no := range []string{`"reasoning_effort":"none"`, `"chat_template_kwargs":{"enable_thinking":false}`} {
		list, _ = stream(t, s, `"model":"qwen3-8b@h100","max_tokens":20,`+no)
		_, n := said(list)
		testkit.That(t, n == 20, "%s: it answers %d of 20", no, n)
	}
}

func TestToolCalls(t *testing.T) {
	s := start(t, Options{})
	tools := `"tools":[{"type":"function","function":{"name":"weather","parameters":{"type":"object","properties":{"city":{"type":"string"},"unit":{"enum":["C","F"]},"days":{"type":"integer"}},"required":["city","unit","days"]}}}]`
	const forced = `,"tool_choice":"required"`
	list, _ := stream(t, s, tools+forced)
	name, args, id := "", "", ""
	for _, c := range list {
		for _, x := range c.Choices {
			for _, k := range x.Delta.ToolCalls {
				name, args, id = name+k.Function.Name, args+k.Function.Arguments, id+k.ID
			}
		}
	}
	var got struct {
		City, Unit string
		Days       int
	}
	if err := json.Unmarshal([]byte(args), &got); err != nil || name != "weather" || id == "" ||
		args != `{"city": "", "unit": "C", "days": 0}` || got.Unit != "C" {
		t.Errorf("%s(%s) %q: %v", name, args, id, err)
	}
	f := list[len(list)-1].Choices[0].FinishReason
	testkit.That(t, f != nil && *f == "tool_calls", "finish %v", f)
	for _, free := range []string{"", `,"tool_choice":"auto"`, `,"tool_choice":"none"`} {
		list, _ = stream(t, s, tools+free+`,"max_tokens":5`)
		_, n := said(list)
		testkit.That(t, n == 5, "a call that nothing forces: %s", free)
	}
	_, _, body := post(t, s, "/chat/completions", ask+`,`+tools+forced+`}`)
	if !strings.Contains(body, `"content":null,"tool_calls":[{`) ||
		!strings.Contains(body, `"finish_reason":"tool_calls"`) {
		t.Error(body)
	}
}

func TestRepeatedPromptHitsTheCache(t *testing.T) {
	long := `{"messages":[{"role":"user","content":"` + strings.Repeat("word ",
		500) + `"}],"max_tokens":2,"stream":true,"stream_options":{"include_usage":true}}`
	cached := func(s *Server) (n int) {
		for range 2 {
			_, _, body := post(t, s, "/chat/completions", long)
			list, _, _ := events(t, body)
			n = list[len(list)-1].Usage.Details.Cached
		}
		return n
	}
	if n := cached(start(t, Options{})); n < 480 {
		t.Errorf("%d of 500 tokens cached", n)
	}
	testkit.Is(t, cached(start(t, Options{NoPrefixCache: true})), 0, "cached although there is no cache")
}

func TestTruthOnRequest(t *testing.T) {
	s := start(t, Options{})
	list, notes := stream(t, s, `"max_tokens":7`, "X-Sim-Truth", "1")
	_, n := said(list)
	testkit.Given(t, n == 7 && len(notes) == 8 && notes[0] == ": prefill", "%d chunks, comments %q", n, notes)
	for _, word := range []string{"step=", "step_ms=", "decodes=1", "prefill=0", "running=1", "due_ns=", "write_ns="} {
		testkit.Has(t, notes[4], word)
	}
	if _, notes := stream(t, s, `"max_tokens":7`); len(notes) != 0 {
		t.Errorf("comments that nobody asked for: %q", notes)
	}
}

// The parts of the server's timings add up, and slow motion lengthens them.
func TestServerTimesAddUp(t *testing.T) {
	ttft := func(speed float64) float64 {
		s := start(t, Options{Speed: speed})
		list, _ := stream(t, s, `"max_tokens":4,"stream_options":{"include_usage":true}`)
		m := list[len(list)-1].Metrics
		get := func(name string) float64 { v, _ := m[name].(float64); return v }
		sum := get("frontend_time_ms") + get("queue_time_ms") + get("prefill_time_ms")
		d := sum - get("time_to_first_token_ms")
		testkit.That(t, d >= -0.01 && d <= 0.01, "the parts give %v: %v", sum, m)
		testkit.Is(t, get("mean_batch"), 1, "alone, it decodes in a batch of")
		return get("time_to_first_token_ms")
	}
	slow, fast := ttft(1), ttft(10)
	testkit.That(t, slow >= 9*fast && slow <= 11*fast, "%v ms at speed 1, %v at 10", slow, fast)
}

func TestHealthNeedsNoKey(t *testing.T) {
	s := start(t, Options{Key: "k"})
	root := strings.TrimSuffix(s.URL(), "/v1")
	for route, want := range map[string]int{"/health": 200, "/version": 401, "/v1/models": 401, "/v1/models/x": 401} {
		resp := testkit.Must(http.Get(root + route))(t)
		resp.Body.Close()
		testkit.Is(t, resp.StatusCode, want, route)
	}
}
