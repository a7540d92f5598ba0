package dialect

import (
	"encoding/json"
	"fmt"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/sse"
)

// TestResponsesBody: what a workload says is sent in the form of the Responses API, and what
// it has no field for is not.
func TestResponsesBody(t *testing.T) {
	seed, cool := 7, 0.0
	for _, c := range []struct {
		name string
		p    Params
		w    metrics.Workload
		want string
	}{
		{"prompt", Params{IncludeUsage: true}, metrics.Workload{System: "be brief", Prompt: "hi", MaxTokens: 9, Seed: &seed,
			Temperature: &cool},
			`{"input":"hi","instructions":"be brief","max_output_tokens":9,"temperature":0}`},
		{"a refused temperature, no padding, no bound", Params{NoTemperature: true, NoObfuscation: true},
			metrics.Workload{Prompt: "hi", Temperature: &cool},
			`{"input":"hi","stream_options":{"include_obfuscation":false}}`},
		{"conversation", Params{}, metrics.Workload{Prompt: "unused", System: "unused", Messages: `[
			{"role":"system","content":"be brief"},{"role":"system","content":"be kind"},
			{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:x","detail":"low"}},{"type":"file","file":{"file_id":"f1"}}]},
			{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"see","arguments":"{\"n\":1}"}}]},
			{"role":"tool","tool_call_id":"c1","content":"a boat"},
			{"role":"assistant","content":[{"type":"text","text":"A boat."}]},
			{"role":"system","content":"now be rude"},
			{"type":"item_reference","id":"it_9"},
			{"role":"user","content":""}]`,
			Tools: `[{"type":"function","function":{"name":"see","strict":true,"parameters":{"type":"object"}}},{"type":"web_search"}]`},
			`{"instructions":"be brief\n\nbe kind","input":[
			{"role":"user","content":[{"type":"input_text","text":"look"},{"type":"input_image","image_url":"data:x","detail":"low"},{"type":"input_file","file_id":"f1"}]},
			{"type":"function_call","call_id":"c1","name":"see","arguments":"{\"n\":1}"},
			{"type":"function_call_output","call_id":"c1","output":"a boat"},
			{"role":"assistant","content":[{"type":"output_text","text":"A boat."}]},
			{"role":"system","content":"now be rude"},
			{"type":"item_reference","id":"it_9"},
			{"role":"user","content":""}],
			"tools":[{"type":"function","name":"see","strict":true,"parameters":{"type":"object"}},{"type":"web_search"}]}`},
		{"what has no such form", Params{}, metrics.Workload{Messages: `{"a":1}`, Tools: `"t"`},
			`{"input":{"a":1},"tools":"t"}`},
	} {
		_, body, err := Speaks("responses").Write(&c.p, "m", &c.w, nil)
		testkit.OK(t, err)
		var got, want map[string]any
		testkit.OK(t, json.Unmarshal(body, &got))
		testkit.OK(t, json.Unmarshal([]byte(c.want), &want))
		want["model"], want["stream"], want["store"] = "m", true, false
		testkit.Same(t, got, want, c.name)
	}
}

// TestResponsesAllocations: an ordinary event allocates nothing, as one of chat completions.
func TestResponsesAllocations(t *testing.T) {
	var events []sse.Event
	for i := range 102 {
		events = append(events, event(fmt.Sprintf(`{"type":"response.output_text.delta","sequence_number":%d,"item_id":"msg_1",`+
			`"output_index":0,"content_index":0,"delta":" tea","logprobs":[],"obfuscation":"zx81"}`, i+4)))
	}
	d, out, next := New(), Out{}, 0
	more := func() {
		d.Event(events[next], &out)
		next++
	}
	more() // the first event of a stream may take memory
	if got := testing.AllocsPerRun(100, more); got > 0 || len(out.Notes) > 0 || len(out.Deltas) != 1 {
		t.Errorf("%v allocations an event, notes %v", got, out.Notes)
	}
}

// FuzzResponses: however a server tells its answer, by deltas, by what repeats them or by
// the whole at the end, each text counts once.
func FuzzResponses(f *testing.F) {
	f.Add([]byte{0, 4, 8, 12, 16, 33, 50, 67, 255}, true, false)
	f.Add([]byte{0, 1, 2, 3, 28, 29, 30, 31}, false, false)
	f.Add([]byte{0, 1, 2, 3}, true, true)
	type object = map[string]any
	f.Fuzz(func(t *testing.T, plan []byte, indices, onlyWhole bool) {
		d, out := New(), Out{}
		got, want := map[metrics.Kind]string{}, map[metrics.Kind]string{}
		collect := func() {
			for _, x := range out.Deltas {
				got[x.Kind] += string(x.Text)
			}
		}
		var output []any
		for i, p := range plan[:min(len(plan), 60)] {
			id, text := fmt.Sprint("it", i), fmt.Sprintf("<%d é>", i)
			send := func(on bool, typ string, more object) {
				if !on || onlyWhole {
					return
				}
				more["type"] = "response." + typ
				if indices {
					more["output_index"] = i
				} else if more["item"] == nil {
					more["item_id"] = id
				}
				d.Event(event(string(testkit.Must(json.Marshal(more))(t))), &out)
				collect()
			}
			whole, kind, piece, repeated := object{"id": id, "type": "message"}, metrics.Content, "output_text", "text"
			switch p & 3 {
			case 0:
				whole["content"] = []any{object{"type": "output_text", "text": text}}
			case 1:
				kind, piece, repeated = metrics.Refusal, "refusal", "refusal"
				whole["content"] = []any{object{"type": "refusal", "refusal": text}}
			case 2:
				kind, piece = metrics.Reasoning, "reasoning_summary_text"
				whole["type"], whole["summary"] = "reasoning", []any{object{"type": "summary_text", "text": text}}
			case 3:
				kind, piece, repeated = metrics.ToolCall, "function_call_arguments", "arguments"
				whole["type"], whole["arguments"], whole["name"] = "function_call", text, "f"
			}
			output, want[kind] = append(output, whole), want[kind]+text
			send(p&4 != 0, "output_item.added", object{"item": object{"id": id, "type": whole["type"], "name": whole["name"]}})
			send(p&8 != 0, piece+".delta", object{"delta": text[:2]})
			send(p&8 != 0, piece+".delta", object{"delta": text[2:]})
			send(p&16 != 0, piece+".done", object{repeated: text})
			send(p&32 != 0 || p&24 == 0, "output_item.done", object{"item": whole})
		}
		end := object{"type": "response.completed", "response": object{"status": "completed", "output": output}}
		d.Event(event(string(testkit.Must(json.Marshal(end))(t))), &out)
		collect()
		d.Finish(true, &out)
		testkit.Is(t, out.Fault, nil)
		collect()
		testkit.Same(t, got, want)
	})
}
