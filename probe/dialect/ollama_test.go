package dialect

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/sse"
)

// TestOllamaRequest: bound, temperature and seed are options, beside those of a person, and a
// conversation in chat's form becomes one of Ollama's.
func TestOllamaRequest(t *testing.T) {
	half, seed := 0.5, 7
	plain := metrics.Workload{System: "Be brief.", Prompt: "Tea?", MaxTokens: 9, Temperature: &half, Seed: &seed}
	talk := metrics.Workload{Tools: `[{"type":"function","function":{"name":"set"}}]`,
		Messages: `[{"role":"developer","content":"Be brief."},` +
			`{"role":"user","content":[{"type":"text","text":"Look: "},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},{"type":"text","text":"who?"}]},` +
			`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"set","arguments":"{\"n\":12345678901234567890}"}},{"id":"c2","type":"function","function":{"name":"get","arguments":""}}]},` +
			`{"role":"tool","tool_call_id":"c1","content":"done"},{"role":"user","content":[{"type":"input_audio"}]}]`}
	for _, r := range []struct {
		name, api string
		p         Params
		w         metrics.Workload
		extra     map[string]any
		want      string // "" is refused
	}{
		{"chat", "ollama", Params{}, plain, nil,
			`{"messages":[{"content":"Be brief.","role":"system"},{"content":"Tea?","role":"user"}],"model":"m","options":{"num_predict":9,"seed":7,"temperature":0.5},"stream":true}`},
		{"given up", "ollama", Params{NoTemperature: true, NoSeed: true}, metrics.Workload{Prompt: "Tea?",
			Temperature: &half, Seed: &seed}, nil,
			`{"messages":[{"content":"Tea?","role":"user"}],"model":"m","options":{},"stream":true}`},
		{"options of a person", "ollama", Params{}, metrics.Workload{Prompt: "Tea?", MaxTokens: 9},
			map[string]any{"think": "low", "options": map[string]any{"num_ctx": 4096}},
			`{"messages":[{"content":"Tea?","role":"user"}],"model":"m","options":{"num_ctx":4096,"num_predict":9},"stream":true,"think":"low"}`},
		{"a conversation", "ollama", Params{}, talk, nil,
			`{"messages":[{"content":"Be brief.","role":"system"},{"content":"Look: who?","images":["AAAA"],"role":"user"},` +
				`{"content":"","role":"assistant","tool_calls":[{"function":{"arguments":{"n":12345678901234567890},"name":"set"},"id":"c1","type":"function"},{"function":{"arguments":{},"name":"get"},"id":"c2","type":"function"}]},` +
				`{"content":"done","role":"tool","tool_call_id":"c1","tool_name":"set"},{"content":[{"type":"input_audio"}],"role":"user"}],"model":"m","options":{},"stream":true,"tools":[{"type":"function","function":{"name":"set"}}]}`},
		{"generate", "ollama-generate", Params{}, plain, nil,
			`{"model":"m","options":{"num_predict":9,"seed":7,"temperature":0.5},"prompt":"Tea?","stream":true,"system":"Be brief."}`},
		{"generate with a conversation", "ollama-generate", Params{}, talk, nil, ""},
	} {
		_, body, err := Speaks(r.api).Write(&r.p, "m", &r.w, r.extra)
		if string(body) != r.want || (err == nil) != (r.want != "") {
			t.Errorf("%s: %v\n%s", r.name, err, cmp.Diff(r.want, string(body)))
		}
	}
}

// lined plays lines that arrive a millisecond apart.
func lined(lines ...string) string {
	var b strings.Builder
	dec, asm := New(), sse.Assembler{Bare: true}
	var out Out
	emit := func(ev sse.Event) { dec.Event(ev, &out); b.WriteString(describe(&out) + "\n") }
	for i, line := range lines {
		asm.Push(sse.Line{Data: []byte(line), At: metrics.Stamp(i) * 1e6}, emit)
	}
	asm.Flush(emit)
	dec.Finish(true, &out)
	return b.String() + describe(&out)
}

func TestOllamaLines(t *testing.T) {
	const truncated = `FAULT truncated status 0 code "": the stream ended without a finish reason and without a done line: try again; some servers end like this after an error: look at the server's log`
	say := func(message string) string { return `{"model":"m","message":` + message + `,"done":false}` }
	for _, r := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"thinking and content in one line", []string{say(`{"role":"assistant","content":"so","thinking":"why"}`)},
			`choices | reasoning "why" | content "so" | model m` + "\n" + truncated},
		{"thinking in tags", []string{say(`{"content":"<think>why"}`), say(`{"content":"</think>so"}`)},
			`choices | reasoning "<think>why" | model m` + "\n" + `choices | reasoning "</think>" | content "so" | model m` +
				"\n" + truncated},
		{"a call, and arguments as text",
			[]string{say(`{"content":"","tool_calls":[{"function":{"name":"set","arguments":{"n": 6}}},{"function":{"name":"get","arguments":"{}"}}]}`)},
			`choices | tool_call "{\"n\": 6}" of set | tool_call "{}" of get | model m` + "\n" + truncated},
		{"content on the last line",
			[]string{`{"model":"m","message":{"content":"bye"},"done":true,"done_reason":"length","prompt_eval_count":3,"eval_count":1}`},
			`choices | content "bye" = 1 tokens | usage prompt 3 completion 1 total -1 | from counted by the server | finish length | done | model m` + "\n"},
		{"no message on the last line", []string{say(`{"content":"a"}`),
			`{"model":"m","created_at":"2026-11-27T10:00:00Z","done":true,"done_reason":"stop","eval_count":1}`},
			`choices | content "a" | model m` + "\n" +
				`choices | usage prompt -1 completion 1 total -1 | from server usage | finish stop | done | model m` + "\n"},
		{"durations", []string{`{"response":"","done":true,"done_reason":"stop","total_duration":1239000000,"load_duration":21000000,"prompt_eval_duration":340000000,"eval_count":2,"eval_duration":820000000}`},
			`choices | usage prompt -1 completion 2 total -1 | from server usage | total 1.239s by total_duration | load 21ms by load_duration | prefill 340ms by prompt_eval_duration | decode 820ms by eval_duration | finish stop | done` + "\n"},
		{"only loaded", []string{`{"model":"m","created_at":"2026-11-27T10:00:00Z","message":{"role":"assistant","content":""},"done_reason":"load","done":true}`}, `choices | finish load | done | model m` + "\n"},
		{"the runner is gone", []string{`{"model":"m","message":{"content":"a"},"done":true}`},
			`choices | content "a" | done | model m` + "\n"},
		{"an error", []string{say(`{"content":"a"}`), `{"error":"llama runner process has terminated"}`},
			`choices | content "a" | model m` + "\n" +
				`FAULT in_stream status 0 code "": the server sent an error in the stream: llama runner process has terminated` +
				"\n"},
		{"blank lines and a remote model",
			[]string{"", `{"model":"m","remote_model":"big","remote_host":"https://ollama.com:443","response":"a","done":false}`, ""}, `choices | content "a" | model m | provider https://ollama.com:443 | note remote_model: the server passes the request on to https://ollama.com:443, model big` + "\n" + truncated},
		{"generate", []string{`{"model":"m","response":"","thinking":"why","done":false}`,
			`{"model":"m","response":"so","done":true,"done_reason":"stop","context":[1,2]}`},
			`choices | reasoning "why" | model m` + "\n" + `choices | content "so" | finish stop | done | model m` + "\n"},
		{"another's answer", []string{`{"response":"a"}`, `{"done":true}`},
			`content "a"` + "\n\n" + strings.Replace(truncated, "a done line", "[DONE]", 1)},
	} {
		testkit.Same(t, lined(r.lines...), r.want, r.name)
	}
}

// TestOllamaStamps: lines that reach us at other intervals than the server made them show by
// how much.
func TestOllamaStamps(t *testing.T) {
	begin := time.Date(2026, 11, 27, 10, 0, 0, 412907, time.UTC)
	dec := New()
	var out Out
	for i, r := range []struct{ made, came, spread time.Duration }{
		{0, 0, -1}, {20, 20, 0}, {40, 70, 30}, {60, 70, 30}, {80, 75, 35}, {100, 200, 105},
	} {
		line := `{"message":{"content":"a"},"created_at":"` + begin.Add(r.made*time.Millisecond).Format(time.RFC3339Nano) +
			`","done":false}`
		dec.Event(sse.Event{Data: []byte(line), At: metrics.Stamp(r.came * time.Millisecond)}, &out)
		got := time.Duration(-1e6)
		if len(out.Server) > 0 && out.Server[0].Name == metrics.ServerSpread {
			got = out.Server[0].D
		}
		testkit.Is(t, got, r.spread*time.Millisecond, "line", i)
	}
	for _, bad := range []string{"", "now", "0001-01-01T00:00:00Z", "9999-01-01T00:00:00Z"} {
		dec.Event(sse.Event{Data: []byte(`{"message":{"content":"a"},"created_at":"` + bad + `","done":false}`), At: 1}, &out)
		testkit.That(t, len(out.Server) == 0 && len(bytes.TrimSpace([]byte(describe(&out)))) != 0, "%q: %v", bad, out.Server)
	}
}
