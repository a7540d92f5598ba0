package client

import (
	"fmt"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/probe/sse"
)

// decoded returns the run of a response with these events, 10 ms apart.
func decoded(events ...string) metrics.Run {
	v := metrics.NoStream(0)
	v.Marks.Start, v.Marks.Sent, v.State = 0, 0, metrics.Waiting
	r := NewRebuild(v)
	at := metrics.Stamp(0)
	for i, data := range events {
		at = metrics.Stamp(100+10*i) * 1e6
		r.Event(sse.Event{At: at, User: at, Read: int32(i), Bytes: int32(len(data)), Data: []byte(data)}, nil, nil)
	}
	fault := r.End(true)
	s := r.View()
	s.State, s.Fault, s.Marks.End = endState(fault), fault, at
	return metrics.Run{Stream: s, Figures: metrics.Measure(&s, metrics.Options{})}
}

// TestHowAnswersEnd holds what finish reasons on the wire become, and whether an answer
// shows anything, in the fields of several servers.
func TestHowAnswersEnd(t *testing.T) {
	delta := func(json string, n int) (out []string) {
		for i := range n {
			out = append(out, `{"choices":[{"index":0,"delta":`+strings.ReplaceAll(json, "#",
				fmt.Sprint(i))+`,"finish_reason":null}]}`)
		}
		return out
	}
	end := func(reason string) string {
		return `{"choices":[{"index":0,"delta":{},"finish_reason":` + reason + `}]}`
	}
	usage := func(n int) string {
		return fmt.Sprintf(`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":%d}}`, n)
	}
	all := func(parts ...any) (out []string) {
		for _, p := range parts {
			switch p := p.(type) {
			case string:
				out = append(out, p)
			case []string:
				out = append(out, p...)
			}
		}
		return append(out, "[DONE]")
	}
	for name, c := range map[string]struct {
		events []string
		finish string
		seen   metrics.Seen
	}{
		"reasoning_content to the limit": {all(delta(`{"reasoning_content":" w#"}`, 100), end(`"length"`), usage(100)),
			"length", metrics.SeenNothing},
		"reasoning to the limit, a line break": {all(delta(`{"reasoning":" thought #"}`, 31), delta(`{"content":"\n\n"}`, 1),
			end(`"MAX_TOKENS"`), usage(33)), "max_tokens", metrics.SeenNothing},
		"a think tag that never closes": {all(delta(`{"content":"<think>"}`, 1), delta(`{"content":" so #"}`, 12),
			end(`"length"`)),
			"length", metrics.SeenNothing},
		"Anthropic's thinking to the limit": {[]string{
			`{"type":"message_start","message":{"id":"m","role":"assistant","content":[],"usage":{"input_tokens":9,"output_tokens":1}}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Let me"}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":" see"}}`,
			`{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":40}}`,
			`{"type":"message_stop"}`}, "max_tokens", metrics.SeenNothing},
		"a filter after 12 chunks": {all(delta(`{"content":" w#"}`, 12), end(`"content_filter"`), usage(12)),
			"content_filter", metrics.SeenText},
		"no finish reason": {all(delta(`{"content":" w#"}`, 5), usage(5)), "", metrics.SeenText},
		"the word null": {all(strings.ReplaceAll(delta(`{"content":" w"}`, 1)[0], "null", `"null"`), end(`"stop"`)),
			"stop", metrics.SeenText},
		"its own word": {all(delta(`{"content":" w#"}`, 3), end(`"insufficient_system_resource"`)),
			"insufficient_system_resource", metrics.SeenText},
		"a call": {all(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}}]}}]}`,
			end(`"tool_calls"`)), "tool_calls", metrics.SeenCall},
	} {
		r := decoded(c.events...)
		if s := &r.Stream; s.State != metrics.Done || s.Finish != c.finish || r.Figures.Seen != c.seen {
			t.Errorf("%s: %s, %q, %d: %v", name, s.State, s.Finish, r.Figures.Seen, s.Fault)
		}
	}
	if r := decoded(end(`"MAX_TOKENS"`), "[DONE]"); r.Stream.Fault == nil || !strings.Contains(r.Stream.Fault.Message,
		"token limit") {
		t.Errorf("nothing at all before the limit: %+v", r.Stream.Fault)
	}
}
