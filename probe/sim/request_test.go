package sim

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

// goNames finds what only this program's source knows.
var goNames = regexp.MustCompile(`Go |sim\.|json:|strconv|\bstruct\b|unmarshal|\bint(32|64)?\b|float64|\*|RawMessage`)

// Every mistake is named with the path of its field and what is expected, in
// words of the API.
func TestMistakesAreNamed(t *testing.T) {
	_, h := served(t, Options{})
	chat := func(fields string) string {
		return `{"messages":[{"role":"user","content":"x"}],"max_tokens":1,` + fields + `}`
	}
	text := func(fields string) string { return `{"prompt":"x","max_tokens":1,` + fields + `}` }
	for _, c := range []struct{ path, body, param, words string }{
		{"chat", `{"messages":"hello"}`, "messages", "messages must be an array, got a string"},
		{"chat", `{"messages":["hello"]}`, "messages[0]", "messages[0] must be an object, got a string"},
		{"chat", `{"messages":[{"role":7}]}`, "messages[0].role", "messages[0].role must be a string, got a number"},
		{"chat", `{"messages":[{"content":"x"}]}`, "messages[0].role", "messages[0] has no role"},
		{"chat", `{"messages":[{"role":"user","content":"x"},{"role":"robot","content":"x"}]}`, "messages[1].role",
			"messages[1].role must be one of system, developer, user, assistant, tool, function, got \"robot\""},
		{"chat", `{"messages":[{"role":"user","content":7}]}`, "messages[0].content",
			"messages[0].content must be a string or an array of parts, got a number"},
		{"chat", `{"messages":[{"role":"user","content":[{"type":"text","text":1}]}]}`, "messages[0].content[0].text",
			"must be a string, got a number"},
		{"chat", `{}`, "messages", "messages must hold at least one message"},
		{"chat", `[]`, "", "the body must be a JSON object, got an array"},
		{"chat", ``, "", "the body is not valid JSON: it ends too early, after byte 0"},
		{"chat", `{"messages":}`, "", "the body is not valid JSON: byte 13: invalid character"},
		{"chat", chat(`"stream":"yes"`), "stream", "stream must be true or false, got a string"},
		{"chat", chat(`"model":7`), "model", "model must be a string, got a number"},
		{"chat", chat(`"temperature":99`), "temperature", "temperature must be at most 2, got 99"},
		{"chat", chat(`"temperature":-0.1`), "temperature", "temperature must be at least 0, got -0.1"},
		{"chat", chat(`"temperature":"hot"`), "temperature", "temperature must be a number, got a string"},
		{"chat", chat(`"temperature":1e999`), "temperature", "temperature must be at most 2, got 1e999"},
		{"chat", chat(`"top_p":1.1`), "top_p", "top_p must be at most 1, got 1.1"},
		{"chat", chat(`"top_p":0`), "top_p", "top_p must be above 0, got 0"},
		{"chat", chat(`"presence_penalty":2.5`), "presence_penalty", "presence_penalty must be at most 2, got 2.5"},
		{"chat", chat(`"frequency_penalty":-3`), "frequency_penalty", "frequency_penalty must be at least -2, got -3"},
		{"chat", chat(`"repetition_penalty":0`), "repetition_penalty", "repetition_penalty must be above 0"},
		{"chat", chat(`"min_p":2`), "min_p", "min_p must be at most 1"},
		{"chat", chat(`"top_k":-2`), "top_k", "top_k must be at least -1, got -2"},
		{"chat", chat(`"n":0`), "n", "n must be at least 1, got 0"},
		{"chat", chat(`"n":17`), "n", "n must be at most 16, got 17"},
		{"chat", chat(`"n":1.5`), "n", "n must be a whole number, got 1.5"},
		{"chat", chat(`"n":"2"`), "n", "n must be a number, got a string"},
		{"chat", chat(`"best_of":4`), "best_of", "best_of must be n, 1"},
		{"chat", chat(`"min_tokens":-1`), "min_tokens", "min_tokens must be at least 0, got -1"},
		{"chat", chat(`"min_tokens":2`), "min_tokens", "min_tokens must be at most max_tokens, 1, got 2"},
		{"chat", chat(`"seed":"a"`), "seed", "seed must be a number, got a string"},
		{"chat", chat(`"seed":99999999999999999999`), "seed", "seed must be at most 9223372036854775807"},
		{"chat", chat(`"stop":["a","b","c","d","e"]`), "stop", "stop holds 5 sequences, at most 4 are taken"},
		{"chat", chat(`"stop":["a",7]`), "stop", "stop must be a string or an array of strings, got a number in it"},
		{"chat", chat(`"stop":{}`), "stop", "stop must be a string or an array of strings, got an object"},
		{"chat", chat(`"logit_bias":{"7":101}`), "logit_bias.7", "logit_bias.7 must be at most 100, got 101"},
		{"chat", chat(`"stream_options":{"include_usage":true}`), "stream_options",
			"stream_options is only allowed when stream is true"},
		{"chat", chat(`"stream":true,"stream_options":{"include_usage":1}`), "stream_options.include_usage",
			"must be true or false, got a number"},
		{"chat", chat(`"reasoning_effort":"huge"`), "reasoning_effort", "reasoning_effort must be one of none, minimal, low"},
		{"chat", chat(`"logprobs":3`), "logprobs", "logprobs must be true or false, got a number"},
		{"chat", chat(`"top_logprobs":3`), "top_logprobs", "top_logprobs needs logprobs to be true"},
		{"chat", chat(`"logprobs":true,"top_logprobs":21`), "top_logprobs", "top_logprobs must be at most 20, got 21"},
		{"chat", chat(`"tools":[{"type":"function"}]`), "tools[0].function.name", "tools[0].function.name is missing"},
		{"chat", chat(`"tools":[{"type":"web_search"}]`), "tools[0].type",
			`tools[0].type must be "function", got "web_search"`},
		{"chat", chat(`"tools":[{"function":{"name":"a","parameters":"x"}}]`), "tools[0].function.parameters",
			"must be an object, got a string"},
		{"chat", chat(`"tool_choice":"perhaps"`), "tool_choice", "tool_choice must be none, auto, required or a tool"},
		{"chat", chat(`"tool_choice":"required"`), "tool_choice", "tool_choice is required, but tools is empty"},
		{"chat", chat(`"tools":[{"function":{"name":"a"}}],"tool_choice":{"type":"function","function":{"name":"b"}}`),
			"tool_choice", `tool_choice names "b", which is not in tools`},
		{"chat", chat(`"structured_outputs":{"regex":"a+"}`), "structured_outputs", "structured_outputs is not supported"},
		{"chat", chat(`"max_completion_tokens":-1`), "max_completion_tokens",
			"max_completion_tokens must be at least 1, got -1"},
		{"chat", `{"messages":[{"role":"user","content":"x"}],"max_tokens":9999999999}`, "max_tokens",
			"max_tokens must be at most 2147483647, got 9999999999"},
		{"text", `{"prompt":` + strings.Repeat("[", 5000) + `"x"` + strings.Repeat("]", 5000) + `}`, "prompt[0]",
			"prompt[0][0] must be a token id, 0 to 2147483647, got an array"},
		{"text", `{"prompt":[]}`, "prompt", "must be a string or token ids"},
		{"text", `{"prompt":{"a":1}}`, "prompt", "must be a string or token ids"},
		{"text", text(`"echo":true`), "echo", "echo is not supported"},
		{"text", text(`"logprobs":6`), "logprobs", "logprobs must be at most 5, got 6"},
		{"text", text(`"logprobs":true`), "logprobs", "logprobs must be a number, got true or false"},
		{"text", `{"max_tokens":1}`, "prompt", "prompt is missing"},
		{"text", `{"prompt":7}`, "prompt", "prompt must be a string or token ids, or a list of either, got a number"},
		{"text", `{"prompt":["a",[1],7]}`, "prompt[2]",
			"prompt[2] must be a string or token ids, or a list of either, got a number"},
		{"text", `{"prompt":["a",[]]}`, "prompt[1]", "prompt[1] must be a string or token ids"},
		{"text", `{"prompt":[1,-1]}`, "prompt", "prompt[1] must be a token id, 0 to 2147483647, got -1"},
		{"text", `{"prompt":[1,"a"]}`, "prompt", "prompt[1] must be a token id, 0 to 2147483647, got a string"},
		{"text", `{"prompt":[` + strings.Repeat(`"a",`, 256) + `"a"]}`, "prompt",
			"prompt holds 257 prompts, at most 256 are taken"},
		{"text", `{"prompt":["a","b"],"n":16,"model":"x@y"}`, "", "known are"},
		{"text", `{"prompt":[` + strings.Repeat(`"a",`, 200) + `"a"],"n":2}`, "n",
			"201 prompts with n 2 are 402 answers, at most 256 are taken"},
	} {
		path := map[string]string{"chat": "/v1/chat/completions", "text": "/v1/completions"}[c.path]
		w := answered(h, recorded("POST", path, c.body))
		var e struct {
			Error struct{ Message, Param, Type string }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil {
			t.Errorf("%.100s: %v in %s", c.body, err, w.Body)
			continue
		}
		if w.Code/100 != 4 || e.Error.Param != c.param || !strings.Contains(e.Error.Message, c.words) ||
			e.Error.Type != "invalid_request_error" {
			t.Errorf("%.100s: %d, param %q, %q\nwant %q, %q", c.body, w.Code, e.Error.Param, e.Error.Message, c.param, c.words)
		}
		found := goNames.FindString(e.Error.Message)
		testkit.That(t, found == "", "%.100s: %q in %q", c.body, found, e.Error.Message)
	}
}

// What the API allows at its edges is taken.
func TestEdgesAreTaken(t *testing.T) {
	_, h := served(t, Options{})
	for _, fields := range []string{
		`"temperature":0`, `"temperature":2`, `"temperature":null`, `"top_p":1`, `"presence_penalty":-2`,
		`"frequency_penalty":2`, `"top_k":-1`, `"n":16`, `"n":null`,
		`"stop":["a","b","c","d"]`, `"stop":null`, `"stop":"a"`, `"stop":[]`, `"seed":-9223372036854775808`, `"best_of":1`,
		`"tools":[]`, `"tool_choice":"none"`,
		`"logprobs":false`, `"logprobs":true,"top_logprobs":20`, `"top_logprobs":0`, `"stream_options":null`,
		`"logit_bias":{"7":-100}`, `"reasoning_effort":"low"`,
		`"echo":false`, `"suffix":""`, `"user":"me","metadata":{"a":"b"},"unknown_field":[1]`, `"max_completion_tokens":3`,
		`"n":2e0`,
	} {
		if w := answered(h, recorded("POST", "/v1/chat/completions",
			`{"messages":[{"role":"user","content":"x"}],"max_tokens":1,`+fields+`}`)); w.Code != 200 {
			t.Errorf("%s: %d %s", fields, w.Code, w.Body)
		}
	}
}

// whole answers of the completions route.
type texts struct {
	Choices []struct {
		Index        int
		Text         string
		FinishReason string `json:"finish_reason"`
		Logprobs     *struct {
			Tokens        []string
			TokenLogprobs []float64            `json:"token_logprobs"`
			TopLogprobs   []map[string]float64 `json:"top_logprobs"`
			TextOffset    []int                `json:"text_offset"`
		}
	}
	Usage struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
		Details          struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	}
}

func textsOf(t *testing.T, s *Server, body string) texts {
	t.Helper()
	code, _, raw := post(t, s, "/completions", body)
	var a texts
	err := json.Unmarshal([]byte(raw), &a)
	testkit.Given(t, err == nil && code == 200, "%s: %d %v %s", body, code, err, raw)
	return a
}

// A list of prompts is answered in its order, each like a request of its own.
func TestListOfPrompts(t *testing.T) {
	s := start(t, Options{})
	first, second := textsOf(t, s, `{"prompt":"How does batching work?","max_tokens":9,"n":2}`),
		textsOf(t, s, `{"prompt":"Tell a story.","max_tokens":9,"n":2}`)
	both := textsOf(t, s, `{"prompt":["How does batching work?","Tell a story."],"max_tokens":9,"n":2}`)
	testkit.Need(t, len(both.Choices), 4, "choices")
	for i, c := range both.Choices {
		alone := first.Choices
		if i >= 2 {
			alone = second.Choices
		}
		if c.Index != i || c.Text != alone[i%2].Text || c.FinishReason != "length" {
			t.Errorf("choice %d: %+v, want %q", i, c, alone[i%2].Text)
		}
	}
	if u := both.Usage; u.PromptTokens != first.Usage.PromptTokens+second.Usage.PromptTokens || u.CompletionTokens != 36 {
		t.Errorf("usage %+v", u)
	}
	_, _, raw := post(t, s, "/completions",
		`{"prompt":["How does batching work?","Tell a story."],"max_tokens":9,"n":2,"stream":true,"stream_options":{"include_usage":true}}`)
	list, _, done := events(t, raw)
	got := make([]string, 4)
	for _, c := range list {
		for _, x := range c.Choices {
			got[x.Index] += *x.Text
		}
	}
	for i, c := range both.Choices {
		testkit.Is(t, got[i], c.Text, "streamed choice", i)
	}
	if u := list[len(list)-1].Usage; !done || u.PromptTokens != both.Usage.PromptTokens || u.CompletionTokens != 36 {
		t.Errorf("usage %+v", u)
	}
	ids := textsOf(t, s, `{"prompt":[[1,2,3],[4,5]],"max_tokens":2}`)
	testkit.That(t, len(ids.Choices) == 2 && ids.Usage.PromptTokens == 5 && ids.Usage.CompletionTokens == 4,
		"two lists of ids: %+v", ids)
}

// Repeated token ids are found in the prefix cache, each prompt counted once.
func TestRepeatedIDsHitTheCache(t *testing.T) {
	s := start(t, Options{})
	body := `{"prompt":[[` + strings.Repeat("7,", 160) + `8],[` + strings.Repeat("9,", 160) + `8]],"max_tokens":1,"n":2}`
	testkit.Is(t, textsOf(t, s, body).Usage.Details.Cached, 0, "cached of a new prompt")
	testkit.Is(t, textsOf(t, s, body).Usage.Details.Cached, 320, "cached")
}
