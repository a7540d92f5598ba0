package sim

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

// messagesOf answers a request in Messages.
func messagesOf(t *testing.T, scenario string, a question, header ...string) (string, []piece) {
	t.Helper()
	_, h := served(t, Options{})
	s := &speakers[1]
	if a.max == 0 {
		a.max = 300
	}
	a.system, a.prompt = "s", "How?"
	w := answered(h, s.request(a), append(header, "X-Sim-Scenario", scenario)...)
	testkit.Given(t, w.Code == 200 && w.Header().Get("Request-Id") != "", "%d %s", w.Code, w.Body)
	return w.Body.String(), s.pieces(t, w.Body.String())
}

// TestMessagesSequence: the official clients need this sequence of events.
func TestMessagesSequence(t *testing.T) {
	const block = " content_block_start content_block_delta content_block_stop"
	tool := question{model: thinker, stream: true, parameters: shells[0], choice: "required"}
	text := question{model: DefaultModel, stream: true}
	thinks := question{model: thinker, stream: true}
	for _, x := range []struct {
		question
		scenario, want string
	}{
		{text, "", "message_start" + block + " message_delta message_stop"},
		{thinks, "", "message_start" + block + block + " message_delta message_stop"},
		{tool, "", "message_start" + block + block + " message_delta message_stop"},
		{text, "no-done", "message_start" + block + " message_delta"},
		{text, "no-finish", "message_start content_block_start content_block_delta message_stop"},
		{thinks, "think-tags", "message_start" + block + " message_delta message_stop"},
	} {
		body, _ := messagesOf(t, x.scenario, x.question)
		testkit.Is(t, types(body), x.want, x.model, x.scenario)
		testkit.Lacks(t, body, "[DONE]")
	}
	body, _ := messagesOf(t, "", tool)
	testkit.Has(t, body, `"content_block":{"type":"thinking","thinking":"","signature":""}`,
		`"delta":{"type":"signature_delta","signature":"msg_`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"call-msg_1-0","name":"shell","input":{}}}`,
		`"delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"input_tokens":`)
}

// TestHiddenThinking: without text a client sees how much was thought only if it asks.
func TestHiddenThinking(t *testing.T) {
	a := question{model: thinker, more: `,"thinking":{"type":"adaptive","display":"omitted"}`}
	for _, stream := range []bool{true, false} {
		a.stream = stream
		body, found := messagesOf(t, "", a)
		got := folded(found)
		if got["think"] != "" || got["thought"] == "0" || strings.Contains(body, "estimated_tokens") ||
			!strings.Contains(body, `"signature":"msg_`) {
			t.Errorf("streamed %t: %q", stream, body)
		}
	}
	a.stream = true
	body, found := messagesOf(t, "", a, "Anthropic-Beta",
		"interleaved-thinking-2025-05-14,thinking-token-count-2026-05-13")
	sum := 0
	for line := range strings.Lines(body) {
		if _, n, ok := strings.Cut(line, `"thinking":"","estimated_tokens":`); ok {
			v := 0
			for _, c := range n[:strings.IndexByte(n, '}')] {
				v = v*10 + int(c-'0')
			}
			sum += v
		}
	}
	if got := folded(found); got["think"] != "" || strconv.Itoa(sum) != got["thought"] {
		t.Errorf("estimates of %d tokens, %s were thought", sum, got["thought"])
	}
	a.more = `,"thinking":{"type":"disabled"}`
	if _, found := messagesOf(t, "", a); folded(found)["thought"] != "0" {
		t.Error("it thinks although it must not")
	}
}

func TestMessagesFields(t *testing.T) {
	a := question{model: DefaultModel, max: 200}
	_, found := messagesOf(t, "", a)
	text := folded(found)["text"]
	words := strings.Fields(text)
	a.more = `,"stop_sequences":["` + words[4] + `"]`
	body, _ := messagesOf(t, "", a)
	if !strings.Contains(body, `"stop_reason":"stop_sequence","stop_sequence":"`+words[4]+`"`) {
		t.Errorf("%q in %s", words[4], body)
	}
	a.more = `,"output_config":{"effort":"low","format":{"type":"json_schema","schema":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}}}`
	if _, found := messagesOf(t, "", a); !strings.HasPrefix(folded(found)["text"], `{"a":`) {
		t.Errorf("%q", found)
	}
	_, h := served(t, Options{})
	for _, x := range []struct{ body, version, scenario, words string }{
		{`{"messages":[{"role":"user","content":"x"}]}`, "", "", "max_tokens is missing"},
		{`{"messages":[{"role":"user","content":"x"}],"max_tokens":5,"temperature":1}`, "2026-10-21", "strict",
			"temperature: Extra inputs are not permitted"},
		{`{"messages":[{"role":"user","content":"x"}],"max_tokens":5,"temperature":1}`, "2026-10-21", "", ""},
		{`{"messages":[{"role":"user","content":"x"}],"max_tokens":5,"temperature":1}`, "2023-06-01", "strict", ""},
		{`{"messages":[{"role":"user","content":"x"}],"max_tokens":5}`, "", "strict", "anthropic-version"},
		{`{"messages":[{"role":"user","content":[{"type":"image"}]}],"max_tokens":5}`, "", "", "reads only text"},
		{`{"messages":[{"role":"user","content":"x"}],"max_tokens":5,"tool_choice":{"type":"tool","name":"z"}}`, "", "",
			"not in tools"},
		{`{"messages":[{"role":"user","content":"x"}],"max_tokens":5,"context_management":{},"betas":[1],"service_tier":"auto"}`, "", "", ""},
	} {
		w := answered(h, recorded("POST", "/v1/messages", x.body), "Anthropic-Version", x.version, "X-Sim-Scenario",
			x.scenario)
		if x.words == "" && w.Code != 200 || x.words != "" && (w.Code != 400 || !strings.Contains(w.Body.String(), x.words)) {
			t.Errorf("%s: %d %s", x.body, w.Code, w.Body)
		}
	}
}

// TestAnthropicLimits: the headers about limits have Anthropic's names, and a reset is a time.
func TestAnthropicLimits(t *testing.T) {
	_, h := served(t, Options{Scenario: "rate-limit"})
	head := answered(h, recorded("POST", "/v1/messages", `{}`)).Header()
	reset, err := time.Parse(time.RFC3339, head.Get("Anthropic-Ratelimit-Requests-Reset"))
	if head.Get("Anthropic-Ratelimit-Requests-Limit") != "60" ||
		head.Get("Anthropic-Ratelimit-Tokens-Remaining") != "38000" ||
		err != nil || time.Until(reset) > 8*time.Second || head.Get("X-Ratelimit-Limit-Requests") != "" {
		t.Errorf("%v", head)
	}
}

func TestCountOfTokens(t *testing.T) {
	_, h := served(t, Options{})
	for i := range speakers {
		s := &speakers[i]
		path, field := countPath[s.name], countField[s.name]
		if path == "" {
			continue
		}
		a := question{model: DefaultModel, system: "You are brief.", prompt: "How?", max: 5, parameters: shells[0]}
		want := folded(s.pieces(t, answered(h, s.request(a)).Body.String()))["prompt"]
		_, body := s.ask(a)
		if w := answered(h, recorded("POST", path, body)); w.Code != 200 || !strings.Contains(w.Body.String(),
			`"`+field+`":`+want) {
			t.Errorf("%s: %s, usage says %s", s.name, w.Body, want)
		}
	}
}

var countPath = map[string]string{"messages": "/v1/messages/count_tokens", "responses": "/v1/responses/input_tokens",
	"gemini": "/v1beta/models/" + DefaultModel + ":countTokens"}

var countField = map[string]string{"messages": "input_tokens", "responses": "input_tokens", "gemini": "totalTokens"}
