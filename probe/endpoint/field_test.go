package endpoint

import (
	"encoding/json"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/dialect"
)

func TestSet(t *testing.T) {
	for _, c := range []struct{ fields, model, extra string }{
		{"model=m2", "m2", `{"a":{"b":1}}`},
		{"tier=priority", "", `{"a":{"b":1},"service_tier":"priority"}`},
		{"speed=fast", "", `{"a":{"b":1},"speed":"fast"}`},
		{"reasoning=low", "", `{"a":{"b":1},"reasoning_effort":"low"}`},
		{"tier=1", "", `{"a":{"b":1},"service_tier":"1"}`},
		{"extra.top_k=40", "", `{"a":{"b":1},"top_k":40}`},
		{"extra.seed=12345678901234567890", "", `{"a":{"b":1},"seed":12345678901234567890}`},
		{"extra.a.c=x y", "", `{"a":{"b":1,"c":"x y"}}`},
		{"extra.a.b={\"z\":[true,null]}", "", `{"a":{"b":{"z":[true,null]}}}`},
		{"extra.a=null", "", `{"a":null}`},
		{"extra.chat_template_kwargs.enable_thinking=false", "",
			`{"a":{"b":1},"chat_template_kwargs":{"enable_thinking":false}}`},
		{"extra.x=1 2", "", `{"a":{"b":1},"x":"1 2"}`},
		{"extra.x=", "", `{"a":{"b":1},"x":""}`},
	} {
		from := Target{Extra: map[string]any{"a": map[string]any{"b": 1}}}
		target := from
		field, value, _ := strings.Cut(c.fields, "=")
		testkit.OK(t, target.Set(field, value))
		if got := string(testkit.Must(json.Marshal(target.Extra))(t)); got != c.extra || target.Endpoint.Model != c.model {
			t.Errorf("%s: %s %s, want %s %s", c.fields, target.Endpoint.Model, got, c.model, c.extra)
		}
		if got := string(testkit.Must(json.Marshal(from.Extra))(t)); got != `{"a":{"b":1}}` {
			t.Errorf("%s changes the target that it was copied from: %s", c.fields, got)
		}
	}
}

// TestSetAPI: the API is a field, with all that follows from it, and the effort of thinking
// stands where that API has it.
func TestSetAPI(t *testing.T) {
	r := &Resolver{Env: func(string) string { return "key-1234567890" }}
	from := testkit.Must(r.Resolve("openai"))(t)
	target := from
	testkit.OK(t, target.Set("api", "messages"))
	testkit.OK(t, target.Set("api", "responses"))
	testkit.OK(t, target.Set("tier", "low"))
	if target.Address() != "https://api.openai.com/v1/responses" || target.Auth != AuthBearer ||
		target.Extra["service_tier"] != "low" ||
		len(target.Header) != len(from.Header) || target.Settings == from.Settings {
		t.Errorf("%s, %s, %v, %v, %v", target.Address(), target.Auth, target.Extra, target.Header, target.Settings)
	}
	for how, api := range map[string]string{"ws": "responses-ws", "sse": "responses"} {
		if testkit.OK(t, target.Set("transport", how)); target.API != api {
			t.Errorf("transport %s is the API %s", how, target.API)
		}
	}
	testkit.That(t, target.Set("transport", "udp") != nil, "a transport that Responses do not have is taken")
	if from.Address() != "https://api.openai.com/v1/chat/completions" || len(from.Extra) > 0 {
		t.Errorf("the target that it was copied from: %s, %v", from.Address(), from.Extra)
	}
}

// TestReasoningOfEachAPI: how much to think stands where the API has it, beside what is there
// already, and what it cannot have is refused with the next step.
func TestReasoningOfEachAPI(t *testing.T) {
	for api, levels := range map[string]map[string]string{
		"chat":            {"low": `{"a":1,"reasoning_effort":"low"}`, "none": `{"a":1,"reasoning_effort":"none"}`},
		"responses":       {"high": `{"a":1,"reasoning":{"effort":"high"}}`},
		"responses-ws":    {"high": `{"a":1,"reasoning":{"effort":"high"}}`},
		"ollama":          {"none": `{"a":1,"think":false}`, "high": `{"a":1,"think":"high"}`, "2048": ""},
		"ollama-generate": {"low": `{"a":1,"think":"low"}`, "2048": ""},
		"completions":     {"low": "", "none": ""},
		"messages": {"none": `{"a":1,"thinking":{"display":"omitted","type":"disabled"}}`,
			"max":  `{"a":1,"output_config":{"effort":"max"},"thinking":{"display":"omitted","type":"adaptive"}}`,
			"2048": `{"a":1,"thinking":{"budget_tokens":2048,"display":"omitted","type":"enabled"}}`},
		"gemini": {"low": `{"a":1,"generationConfig":{"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"LOW"}}}`,
			"none": `{"a":1,"generationConfig":{"thinkingConfig":{"includeThoughts":true,"thinkingBudget":0}}}`,
			"2048": `{"a":1,"generationConfig":{"thinkingConfig":{"includeThoughts":true,"thinkingBudget":2048}}}`},
	} {
		for level, want := range levels {
			target := Target{Endpoint: metrics.Endpoint{API: api}, Extra: map[string]any{"a": 1}}
			switch api {
			case "messages":
				testkit.OK(t, target.Set("extra.thinking.display", "omitted"))
			case "gemini":
				testkit.OK(t, target.Set("extra.generationConfig.thinkingConfig.includeThoughts", "true"))
			}
			err := target.Set("reasoning", level)
			f, refused := err.(*metrics.Fault)
			if got := string(testkit.Must(json.Marshal(target.Extra))(t)); refused != (want == "") || !refused && got != want {
				t.Errorf("%s, reasoning=%s: %s, want %s; %v", api, level, got, want, err)
			}
			testkit.That(t, !refused || strings.Contains(f.Message, level) && f.Next != "",
				"%s, reasoning=%s: %v", api, level, f)
		}
	}
}

// TestServiceOfEachAPI: a tier is asked for where the API has one, and refused elsewhere, with
// the way to servers that read it all the same.
func TestServiceOfEachAPI(t *testing.T) {
	for _, api := range dialect.Names() {
		has := api != "gemini" && !strings.HasPrefix(api, "ollama")
		for _, field := range []string{"tier", "speed"} {
			target := Target{Endpoint: metrics.Endpoint{API: api}}
			err := target.Set(field, "fast")
			if f, refused := err.(*metrics.Fault); refused == has || refused &&
				!strings.Contains(f.Next, "extra."+shortFields[field]) {
				t.Errorf("%s, %s=fast: %v", api, field, err)
			}
		}
	}
}

func TestSetRefuses(t *testing.T) {
	for _, c := range []struct{ field, say, next string }{
		{"teir", `"teir" is no field`, "did you mean tier?"},
		{"thinking", `"thinking" is no field`, "did you mean reasoning?"},
		{"color", `"color" is no field`, "model, api, transport, reasoning, speed, tier, extra.PATH"},
		{"extra.", "names no field", "extra.NAME"},
		{"extra.a..b", "names no field", "extra.NAME"},
		{"extra." + strings.Repeat("a.", 40) + "b", "names no field", "extra.NAME"},
		{"extra.stream", "stream is a field that tokscope sets itself", "only a stream"},
		{"extra.messages", "messages is a field", "--messages FILE"},
		{"extra.model", "model is a field", "-m"},
		{"extra.n.b", `"extra.n.b" is a field of something that is no object`, "as JSON"},
		{"model", "no model", "model=NAME"},
		{"api", `"none" is no API`, "chat, messages, responses"},
	} {
		target := Target{Extra: map[string]any{"n": 1}}
		err := target.Set(c.field, "")
		f, ok := err.(*metrics.Fault)
		testkit.That(t, ok && strings.Contains(f.Message, c.say) && strings.Contains(f.Next, c.next),
			"Set(%q): %#v", c.field, err)
	}
}
