package sim

import (
	"encoding/json"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

// responsesOf answers a request in Responses.
func responsesOf(t *testing.T, scenario string, a question) string {
	t.Helper()
	_, h := served(t, Options{})
	a.system, a.prompt = "s", "How?"
	w := answered(h, speakers[2].request(a), "X-Sim-Scenario", scenario)
	testkit.Given(t, w.Code == 200 && w.Header().Get("X-Request-Id") != "", "%d %s", w.Code, w.Body)
	return w.Body.String()
}

// TestResponsesSequence: the official clients need this sequence of events, and numbers
// without a gap.
func TestResponsesSequence(t *testing.T) {
	item := func(kind string) string {
		part := []string{" content_part.added", " content_part.done"}
		if kind == "function_call_arguments" {
			part = []string{"", ""}
		}
		return " output_item.added" + part[0] + " " + kind + ".delta " + kind + ".done" + part[1] + " output_item.done"
	}
	tool := question{model: thinker, max: 300, stream: true, parameters: shells[0], choice: "required"}
	text := question{model: DefaultModel, max: 20, stream: true}
	whole := question{model: DefaultModel, max: 5000, stream: true}
	const begin = "created in_progress"
	for _, x := range []struct {
		question
		scenario, want string
	}{
		{text, "", begin + item("output_text") + " incomplete"},
		{whole, "", begin + item("output_text") + " completed"},
		{tool, "", begin + item("reasoning_text") + item("function_call_arguments") + " completed"},
		{text, "no-done", begin + item("output_text")},
		{text, "no-finish", begin + " output_item.added content_part.added output_text.delta"},
	} {
		body := responsesOf(t, x.scenario, x.question)
		testkit.Is(t, strings.ReplaceAll(types(body), "response.", ""), x.want, x.model, x.scenario)
		next := 0.0
		for line := range strings.Lines(body) {
			data, ok := strings.CutPrefix(line, "data: ")
			if !ok {
				continue
			}
			var doc any
			if err := json.Unmarshal([]byte(data), &doc); err != nil || at(doc, "sequence_number") != next {
				t.Fatalf("%v: number %v, want %v", err, at(doc, "sequence_number"), next)
			}
			next++
		}
	}
}

// TestResponsesRepeat: the last event has every item as its own events had it, and the whole
// answer is the same but for its id and time.
func TestResponsesRepeat(t *testing.T) {
	a := question{model: thinker, max: 300, stream: true, parameters: shells[0], choice: "required"}
	var items []string
	var last any
	for line := range strings.Lines(responsesOf(t, "", a)) {
		var doc any
		if data, ok := strings.CutPrefix(line, "data: "); ok && json.Unmarshal([]byte(data), &doc) == nil {
			if at(doc, "type") == "response.output_item.done" {
				items = append(items, quote(at(doc, "item")))
			}
			last = doc
		}
	}
	got := quote(at(last, "response.output"))
	testkit.That(t, got == "["+strings.Join(items, ",")+"]" && len(items) == 2, "%s at the end, %s before", got, items)
	a.stream = false
	var whole any
	_ = json.Unmarshal([]byte(responsesOf(t, "", a)), &whole)
	testkit.Is(t, quote(at(whole, "output")), quote(at(last, "response.output")), "whole")
}

func TestResponsesFields(t *testing.T) {
	_, h := served(t, Options{})
	for _, x := range []struct {
		body  string
		code  int
		words string
	}{
		{`{"input":"x","max_output_tokens":5}`, 200, `"status":"incomplete"`},
		{`{"input":"x","text":{"format":{"type":"json_schema","name":"n","strict":true,"schema":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}}}}`, 200, `"text":"{\"a\":`},
		{`{"input":"x","text":{"format":{"type":"json_object"}}}`, 200, `"text":"{`},
		{`{"input":"x","model":"qwen3-8b@h100","reasoning":{"effort":"none","summary":"auto"}}`, 200, `"reasoning_tokens":0`},
		{`{"input":"x","tools":[{"type":"custom","name":"apply_patch"}],"include":["reasoning.encrypted_content"],"prompt_cache_key":"k"}`, 200, `"completed"`},
		{`{"input":"x","previous_response_id":"resp_1"}`, 400, `"code":"previous_response_not_found"`},
		{`{"input":"x","background":true}`, 400, "background is not supported"},
		{`{"input":[]}`, 400, "input must be a text or hold"},
		{`{}`, 400, "input must be a text or hold"},
		{`{"input":[{"role":"user","content":[{"type":"input_image"}]}]}`, 400, "reads only text"},
		{`{"input":"x","reasoning":{"effort":"huge"}}`, 400, "reasoning.effort must be one of"},
		{`{"input":"x","tool_choice":"required"}`, 400, "tools is empty"},
	} {
		w := answered(h, recorded("POST", "/v1/responses", x.body))
		testkit.That(t, w.Code == x.code && strings.Contains(w.Body.String(), x.words), "%s: %d %s", x.body, w.Code, w.Body)
	}
}
