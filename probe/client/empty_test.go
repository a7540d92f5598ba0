package client_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
)

// An answer without a token is a failure of its own kind, whatever ended it, and
// says how it ended. One token is an answer.
func TestEmptyAnswer(t *testing.T) {
	const role = `{"choices":[{"delta":{"role":"assistant","content":""}}]}`
	finish := func(reason string) string {
		return fmt.Sprintf(`{"choices":[{"delta":{},"finish_reason":%q}]}`, reason)
	}
	e := newEngine(t, client.Options{})
	for _, tt := range []struct {
		name    string
		events  []string
		message string // part of the message; "" for a good end
		body    string // part of the event that the fault shows
	}{
		{"only [DONE]", nil, "without a token", "[DONE]"},
		{"only a role", []string{role}, "without a token", "assistant"},
		{"stop", []string{role, finish("stop")}, "without a token", "assistant"},
		{"content filter", []string{role, finish("content_filter")}, "content filter", "assistant"},
		{"length", []string{role, finish("length"),
			`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":20,"total_tokens":29}}`}, "token limit", "assistant"},
		{"a token", []string{`{"choices":[{"delta":{"content":"a"}}]}`, finish("stop")}, "", ""},
		{"sound", []string{role, `{"choices":[{"index":0,"delta":{"audio":{"data":"AAAA"}}}]}`, finish("stop")}, "", ""},
		{"a transcript", []string{`{"choices":[{"index":0,"delta":{"audio":{"id":"a","transcript":"hi"}}}]}`,
			finish("stop")}, "", ""},
		{"an image", []string{role,
			`{"choices":[{"delta":{"images":[{"image_url":{"url":"data:image/png;base64,AAAA"}}]}}]}`, finish("stop")}, "", ""},
		{"video", []string{role, `{"choices":[{"delta":{"video":{"data":"AAAA"}}}]}`,
			`{"choices":[{"delta":{"video":{"data":"BBBB"}}}]}`, finish("stop")}, "5 events came, none with text",
			`{"video":{"data":"AAAA"}}`},
		{"plots of a gateway", []string{`{"choices":[],"x_plot":[1,2]}`, role, finish("stop")},
			"4 events came, none with text", "x_plot"},
		{"a field of its own", []string{`{"choices":[{"delta":{"sketch":"M0 0"},"index":0}]}`,
			`{"choices":[{"delta":{"sketch":"L1 1"},"index":0}],"usage":{"completion_tokens":160,"prompt_tokens":3,"total_tokens":163}}`}, "3 events came, none with text", "M0 0"},
		{"a called tool", []string{`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":""}}]}}]}`, finish("tool_calls")}, "", ""},
	} {
		v := ended(e.StartQuiet(context.Background(), targetAt(streaming(t, append(tt.events, "[DONE]")...).URL),
			metrics.Workload{Prompt: "x"}))
		switch {
		case tt.message == "":
			testkit.That(t, v.State == metrics.Done, "%s: %v, %+v", tt.name, v.State, v.Fault)
		case v.State != metrics.Failed || v.Fault == nil || v.Fault.Kind != metrics.FaultEmpty ||
			!strings.Contains(v.Fault.Message, tt.message) || v.Fault.Next == "" || !strings.Contains(v.Fault.Body, tt.body):
			t.Errorf("%s: %v, %+v", tt.name, v.State, v.Fault)
		}
	}
}

// The moment of the usage is that of its event: counts that stood elsewhere, and are
// joined after the end, have none.
func TestMomentOfTheUsage(t *testing.T) {
	e := newEngine(t, client.Options{})
	for name, want := range map[string]bool{
		`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}`:                               true,
		`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"timings":{"prompt_n":9,"cache_n":0,"predicted_n":2}}`: false,
	} {
		v := ended(e.StartQuiet(context.Background(),
			targetAt(streaming(t, `{"choices":[{"index":0,"delta":{"content":"a"}}]}`, name, "[DONE]").URL),
			metrics.Workload{Prompt: "x"}))
		if v.Usage.Prompt != 9 || v.Marks.LastUsage.Known() != want || want && v.Marks.LastUsage > v.Marks.End {
			t.Errorf("%s: usage %+v at %v", name, v.Usage, v.Marks.LastUsage)
		}
	}
}
