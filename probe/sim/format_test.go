package sim

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tokscope/metrics/testkit"
)

const mathSchema = `{"$defs":{"Step":{"properties":{"explanation":{"type":"string"},"output":{"type":"string","maxLength":20}},"required":["explanation","output"],"type":"object","additionalProperties":false}},
	"properties":{"steps":{"items":{"$ref":"#/$defs/Step"},"type":"array","minItems":1},"final":{"type":"integer","minimum":1,"maximum":9}},"required":["steps","final"],"type":"object","additionalProperties":false}`

func withFormat(format string) string {
	return ask + `,"response_format":` + format
}

func schemaFormat(schema string) string {
	return `{"type":"json_schema","json_schema":{"name":"answer","strict":true,"schema":` + schema + `}}`
}

// fits checks a document with a validator that shares no code with the
// endpoint.
func fits(t *testing.T, schema, doc string) {
	t.Helper()
	is := testkit.Must(jsonschema.UnmarshalJSON(strings.NewReader(schema)))(t)
	c := jsonschema.NewCompiler()
	testkit.OK(t, c.AddResource("mem:///s.json", is))
	s := testkit.Must(c.Compile("mem:///s.json"))(t)
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(doc))
	if err != nil {
		t.Errorf("%q: %v", doc, err)
		return
	}
	testkit.Is(t, s.Validate(v), nil, doc)
}

// An answer in a format is a document of it, token by token, and ends by
// itself. Whole and streamed it is the same.
func TestResponseFormat(t *testing.T) {
	s := start(t, Options{})
	for _, c := range []struct{ format, schema string }{
		{`{"type":"json_object"}`, `{"type":"object"}`},
		{`{"type":"json_schema","json_schema":{"name":"a"}}`, `{"type":"object"}`},
		{schemaFormat(mathSchema), mathSchema},
	} {
		for _, extra := range []string{"", `,"n":3`, `,"seed":5`, `,"ignore_eos":true,"max_tokens":4000`,
			`,"model":"qwen3-8b@h100"`, `,"model":"llama-3.3-70b@4xh100+draft"`} {
			body := withFormat(c.format) + extra
			_, _, raw := post(t, s, "/chat/completions", body+`,"stream":true,"stream_options":{"include_usage":true}}`)
			list, _, done := events(t, raw)
			got, finish, chunks := map[int]string{}, map[int]string{}, 0
			for _, e := range list {
				for _, x := range e.Choices {
					if x.Delta.Content != nil && *x.Delta.Content != "" {
						got[x.Index] += *x.Delta.Content
						chunks++
					}
					if x.FinishReason != nil {
						finish[x.Index] = *x.FinishReason
					}
				}
			}
			_, _, raw = post(t, s, "/chat/completions", body+`}`)
			var a struct {
				Choices []struct {
					Message      struct{ Content string }
					FinishReason string `json:"finish_reason"`
				}
			}
			err := json.Unmarshal([]byte(raw), &a)
			testkit.Given(t, err == nil && done && len(a.Choices) != 0, "%v in %s", err, raw)
			u := list[len(list)-1].Usage
			if tokens := u.CompletionTokens - u.Completion.Reasoning; chunks > tokens || chunks < tokens/4 || chunks < 3 {
				t.Errorf("%s: %d chunks of %d tokens", extra, chunks, tokens)
			}
			for i, x := range a.Choices {
				fits(t, c.schema, got[i])
				if x.Message.Content != got[i] || x.FinishReason != "stop" || finish[i] != "stop" {
					t.Errorf("%s: streamed %q (%s), whole %q (%s)", extra, got[i], finish[i], x.Message.Content, x.FinishReason)
				}
				if i > 0 && got[i] == got[0] {
					t.Errorf("%s: choice %d is choice 0: %s", extra, i, got[i])
				}
			}
		}
	}
	// The other route, and another prompt.
	a := textsOf(t, s, `{"prompt":["one","two"],"max_tokens":2000,"response_format":`+schemaFormat(mathSchema)+`}`)
	for _, c := range a.Choices {
		fits(t, mathSchema, c.Text)
	}
	if a.Choices[0].Text == a.Choices[1].Text {
		t.Errorf("two prompts have one answer: %s", a.Choices[0].Text)
	}
}

// A limit or a stop sequence cuts a document, as it cuts one of a real server.
func TestDocumentsAreCut(t *testing.T) {
	s := start(t, Options{})
	body := withFormat(schemaFormat(mathSchema))
	whole, _ := stream(t, s, body[len(ask)+1:])
	doc, tokens := said(whole)
	for _, limit := range []int{1, 2, tokens - 1, tokens, tokens + 1} {
		list, _ := stream(t, s, fmt.Sprintf(`%s,"max_tokens":%d`, body[len(ask)+1:], limit))
		text, n := said(list)
		want := "length"
		if limit >= tokens {
			want = "stop"
		}
		if f := list[len(list)-1].Choices[0].FinishReason; !strings.HasPrefix(doc, text) || n != min(limit, tokens) ||
			*f != want {
			t.Errorf("limit %d of %d: %d tokens, %s: %q", limit, tokens, n, *f, text)
		}
	}
	list, _ := stream(t, s, body[len(ask)+1:]+`,"stop":"final"`)
	text, _ := said(list)
	cut, _, _ := strings.Cut(doc, "final")
	testkit.That(t, text == cut, "stopped at %q, want %q", text, cut)
}

func TestFormatsThatAreRefused(t *testing.T) {
	_, h := served(t, Options{})
	for _, c := range []struct{ format, param, words string }{
		{`"json"`, "response_format", "response_format must be an object, got a string"},
		{`{}`, "response_format.type", "response_format.type must be text, json_object or json_schema"},
		{`{"type":"grammar"}`, "response_format.type", `got "grammar"`},
		{`{"type":"json_schema"}`, "response_format.json_schema", "response_format.json_schema is missing"},
		{`{"type":"json_schema","json_schema":{"schema":{}}}`, "response_format.json_schema.name",
			"response_format.json_schema.name is missing"},
		{schemaFormat(`{"type":"string","pattern":"^a"}`), "response_format.json_schema.schema",
			`response_format.json_schema.schema: the schema: the keyword "pattern" is not supported`},
		{schemaFormat(`{"type":"object","properties":{"a":{"type":"strnig"}}}`), "response_format.json_schema.schema",
			`properties.a: there is no type "strnig"`},
		{schemaFormat(`{"type":"integer","minimum":3,"maximum":2}`), "response_format",
			"response_format: no document fits this schema"},
	} {
		w := answered(h, recorded("POST", "/v1/chat/completions", withFormat(c.format)+`}`))
		var e struct {
			Error struct{ Message, Param string }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || w.Code != 400 || e.Error.Param != c.param ||
			!strings.Contains(e.Error.Message, c.words) {
			t.Errorf("%s: %d, %+v, want %q, %q", c.format, w.Code, e.Error, c.param, c.words)
		}
	}
	if w := answered(h, recorded("POST", "/v1/chat/completions",
		withFormat(`{"type":"text"}`)+`,"max_tokens":1}`)); w.Code != 200 {
		t.Errorf("text: %d %s", w.Code, w.Body)
	}
}

// The arguments of a tool fit its parameters, also if these are nested.
func TestToolArgumentsFit(t *testing.T) {
	s := start(t, Options{})
	for _, parameters := range []string{
		mathSchema,
		`{"type":"object","properties":{"city":{"type":"string","maxLength":5},"when":{"type":"string","format":"date-time"}},"required":["city","when"]}`,
		`{"type":"object","properties":{"city":{"type":"string"},"unit":{"enum":["C","F"]}},"required":["city"]}`,
		`{"type":"object","properties":{"who":{"anyOf":[{"type":"integer"},{"type":"null"}]}},"required":["who"]}`,
	} {
		_, _, raw := post(t, s, "/chat/completions",
			ask+`,"tools":[{"type":"function","function":{"name":"f","parameters":`+parameters+`}}],"tool_choice":"required"}`)
		var a struct {
			Choices []struct {
				Message struct {
					ToolCalls []struct{ Function struct{ Arguments string } } `json:"tool_calls"`
				}
			}
		}
		err := json.Unmarshal([]byte(raw), &a)
		testkit.Given(t, err == nil && len(a.Choices[0].Message.ToolCalls) == 1, "%v in %s", err, raw)
		fits(t, parameters, a.Choices[0].Message.ToolCalls[0].Function.Arguments)
	}
}
