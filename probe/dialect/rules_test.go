package dialect

import (
	"fmt"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

// data makes a body of one event a document.
func data(docs ...string) []byte {
	var b strings.Builder
	for _, d := range docs {
		b.WriteString("data: " + d + "\n\n")
	}
	return []byte(b.String())
}

// chunkOf makes the document of one chunk with this delta.
func chunkOf(delta string) string {
	return `{"choices":[{"index":0,"delta":` + delta + `}]}`
}

const (
	stop = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	done = "[DONE]"
)

type row struct {
	name string
	body []byte
	want string // lines as replay writes them, without the first line break
}

func check(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			testkit.Same(t, replay(t, nil, r.body), strings.TrimPrefix(r.want, "\n"))
		})
	}
}

func TestRule1WhatIsAToken(t *testing.T) {
	check(t, []row{
		{"role only", data(chunkOf(`{"role":"assistant"}`), done), "1: choices | role\n2: done\n"},
		{"empty content", data(chunkOf(`{"content":""}`), done), "1: choices\n2: done\n"},
		{"null content", data(chunkOf(`{"content":null,"reasoning":null,"tool_calls":null,"refusal":null}`), done),
			"1: choices\n2: done\n"},
		{"no choices", data(`{"choices":[]}`, done), "2: done\n"},
		{"filter results", data(`{"choices":[],"prompt_filter_results":[{"prompt_index":0}]}`, done), "2: done\n"},
		{"comment", []byte(": wait\n\ndata: [DONE]\n\n"), "1: keep-alive\n2: done\n"},
		{"blanks are text", data(chunkOf(`{"content":" "}`), done),
			"1: choices | content \" \"\n2: done\nall content: \" \"\n"},
		{"token ids without text", data(`{"choices":[{"delta":{"content":""},"token_ids":[7,8]}]}`, done),
			"1: choices | content \"\" = 2 tokens | from token ids\n2: done\n"},
		{"no token ids and no text", data(`{"choices":[{"delta":{"content":""},"token_ids":[]}]}`, done),
			"1: choices\n2: done\n"},
		{"logprobs without text", data(`{"choices":[{"delta":{},"logprobs":{"content":[{"token":"x"}]}}]}`, done),
			"1: choices | content \"\" = 1 tokens | from logprobs\n2: done\n"},
		{"the name of a tool", data(chunkOf(`{"tool_calls":[{"index":0,"function":{"name":"f"}}]}`), done),
			"1: choices | tool_call \"\" of f\n2: done\n"},
		{"a tool call of nothing", data(chunkOf(`{"tool_calls":[{"index":0,"id":"x","function":{"arguments":""}}]}`), done),
			"1: choices\n2: done\n"},
		{"legacy function call", data(chunkOf(`{"function_call":{"name":"f","arguments":"{}"}}`), done),
			"1: choices | tool_call \"{}\" of f\n2: done\nall tool_call: \"{}\"\n"},
		{"arguments as an object", data(chunkOf(`{"tool_calls":[{"function":{"name":"f","arguments":{"a": 1}}}]}`), done),
			"1: choices | tool_call \"{\\\"a\\\": 1}\" of f\n2: done\nall tool_call: \"{\\\"a\\\": 1}\"\n"},
		{"an answer in one event",
			data(`{"choices":[{"message":{"role":"assistant","content":"All"},"finish_reason":"stop"}]}`),
			"1: choices | role | content \"All\" | finish stop\nall content: \"All\"\n"},
		{"an answer repeated at the end", data(chunkOf(`{"content":"All"}`),
			`{"choices":[{"message":{"content":"All"},"finish_reason":"stop"}]}`),
			"1: choices | content \"All\"\n2: choices | finish stop\nall content: \"All\"\n"},
	})
}

func TestRule2Reasoning(t *testing.T) {
	const end = "2: done\n"
	check(t, []row{
		{"reasoning_content", data(chunkOf(`{"reasoning_content":"r"}`), done),
			"1: choices | reasoning \"r\"\n" + end + "all reasoning: \"r\"\n"},
		{"reasoning", data(chunkOf(`{"reasoning":"r"}`), done),
			"1: choices | reasoning \"r\"\n" + end + "all reasoning: \"r\"\n"},
		{"reasoning_details", data(chunkOf(`{"reasoning_details":[{"type":"reasoning.text","text":"r"},{"type":"reasoning.summary","summary":"s"}]}`), done), "1: choices | reasoning \"rs\"\n" + end + "all reasoning: \"rs\"\n"},
		{"encrypted details are no text",
			data(chunkOf(`{"reasoning_details":[{"type":"reasoning.encrypted","data":"QUJD"}]}`), done), "1: choices\n" + end},
		{"all fields at once count once",
			data(chunkOf(`{"reasoning_content":"r","reasoning":"r","reasoning_details":[{"text":"r"}]}`), done),
			"1: choices | reasoning \"r\"\n" + end + "all reasoning: \"r\"\n"},
		{"thinking in an array", data(chunkOf(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"r"},{"type":"text","text":"s"}]},{"type":"text","text":"c"}]}`), done), "1: choices | reasoning \"rs\" | content \"c\"\n" + end + "all content: \"c\"\nall reasoning: \"rs\"\n"},
		{"thinking as a string", data(chunkOf(`{"content":[{"type":"thinking","thinking":"r"}]}`), done),
			"1: choices | reasoning \"r\"\n" + end + "all reasoning: \"r\"\n"},
		{"gemini without tags", data(chunkOf(`{"content":"r","extra_content":{"google":{"thought":true}}}`),
			chunkOf(`{"content":"c"}`), done),
			"1: choices | reasoning \"r\"\n2: choices | content \"c\"\n3: done\nall content: \"c\"\nall reasoning: \"r\"\n"},
		{"with content in one delta", data(chunkOf(`{"reasoning":"r","content":"c"}`), done),
			"1: choices | reasoning \"r\" | content \"c\"\n" + end + "all content: \"c\"\nall reasoning: \"r\"\n"},
		{"a tag after a reasoning field is content", data(chunkOf(`{"reasoning":"r"}`), chunkOf(`{"content":"<think>x"}`),
			done), "1: choices | reasoning \"r\"\n2: choices | content \"<think>x\"\n3: done\nall content: \"<think>x\"\nall " +
			"reasoning: \"r\"\n"},
	})
}

func TestRule2ThinkTags(t *testing.T) {
	for _, r := range []struct {
		name               string
		pieces             []string
		content, reasoning string
		deltas             int // at least one an event: the moment of each counts
	}{
		{"whole", []string{"<think>", "r", "</think>", "c"}, "c", "<think>r</think>", 4},
		{"in one piece", []string{"<think>r</think>c"}, "c", "<think>r</think>", 2},
		{"letter by letter", strings.Split("<think>r</think>c", ""), "c", "<think>r</think>", 17},
		{"thought", []string{"<thou", "ght>r</thou", "ght>c"}, "c", "<thought>r</thought>", 4},
		{"blanks before it", []string{"\n <think>r</think>c"}, "c", "\n <think>r</think>", 2},
		{"blanks apart", []string{"\n", "<think>r</think>c"}, "\nc", "<think>r</think>", 3},
		{"never closed", []string{"<think>r", "s</thin"}, "", "<think>rs</thin", 2},
		{"the closing of the other", []string{"<think>r</thought>s</think>c"}, "c", "<think>r</thought>s</think>", 2},
		{"two beginnings of the closing", []string{"<think>r<</think>c"}, "c", "<think>r<</think>", 2},
		{"template opened it", []string{"</think>", "c"}, "c", "</think>", 2},
		{"not at the start", []string{"a", "<think>b</think>"}, "a<think>b</think>", "", 2},
		{"another tag", []string{"<", "table>"}, "<table>", "", 2},
		{"almost the tag", []string{"<thin", "g>"}, "<thing>", "", 2},
		{"only the beginning", []string{"<thi"}, "<thi", "", 2},
		{"a second pair", []string{"<think>r</think>", "<think>c"}, "<think>c", "<think>r</think>", 2},
	} {
		t.Run(r.name, func(t *testing.T) {
			d := New()
			var out Out
			var content, reasoning strings.Builder
			n := 0
			collect := func() {
				for _, x := range out.Deltas {
					n++
					if x.Kind == 0 {
						content.Write(x.Text)
					} else {
						reasoning.Write(x.Text)
					}
				}
			}
			for _, p := range r.pieces {
				d.Event(event(chunkOf(fmt.Sprintf(`{"content":%q}`, p))), &out)
				testkit.That(t, len(out.Deltas) != 0, "%q made no delta", p)
				collect()
			}
			d.Finish(true, &out)
			collect()
			testkit.That(t, content.String() == r.content && reasoning.String() == r.reasoning && n == r.deltas,
				"content %q, reasoning %q, %d deltas", content.String(), reasoning.String(), n)
		})
	}
}

func TestRule3UsageAnywhere(t *testing.T) {
	const u = `{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}`
	const reported = "usage prompt 1 completion 2 total 3 | from server usage"
	check(t, []row{
		{"top level", data(`{"choices":[],"usage":`+u+`}`, done), "1: " + reported + "\n2: done\n"},
		{"x_groq", data(`{"choices":[],"x_groq":{"usage":`+u+`}}`, done), "1: " + reported + "\n2: done\n"},
		{"in a choice", data(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":`+u+`}]}`, done),
			"1: choices | " + reported + " | finish stop\n2: done\n"},
		{"null does not erase", data(`{"choices":[],"usage":`+u+`}`, `{"choices":[],"usage":null}`, done),
			"1: " + reported + "\n3: done\n"},
		{"the last counts", data(`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":9}}`,
			`{"choices":[],"usage":`+u+`}`, done),
			"1: usage prompt 9 completion 9 total -1 | from server usage\n2: " + reported + "\n3: done\n"},
		{"zeros do not erase", data(`{"choices":[],"usage":`+u+`}`,
			`{"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}`, done),
			"1: " + reported + "\n3: done\n"},
		{"text after usage and finish", data(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":`+u+`}`,
			chunkOf(`{"content":"late"}`), done),
			"1: choices | " + reported + " | finish stop\n2: choices | content \"late\"\n3: done\nall content: \"late\"\n"},
		{"floats and strings", data(`{"choices":[],"usage":{"prompt_tokens":1.0,"completion_tokens":"2","total_tokens":3e0}}`, done), "1: " + reported + "\n2: done\n"},
		{"nonsense is no count", data(`{"choices":[],"usage":{"prompt_tokens":-1,"completion_tokens":2.5,"total_tokens":3}}`,
			done), "1: usage prompt -1 completion -1 total 3 | from server usage | note usage_negative: the server's usage " +
			"has a negative count: not used\n2: done\n"},
		{"no counts at all", data(`{"choices":[],"usage":{"cost":1}}`, `{"choices":[],"usage":[1]}`, done), "3: done\n"},
		{"details", data(`{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"completion_tokens_details":{"reasoning_tokens":1},"prompt_tokens_details":{"cached_tokens":1}}}`, done),
			"1: usage prompt 1 completion 2 total 3 reasoning 1 cached 1 | from server usage\n2: done\n"},
		{"details at the top", data(`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11,"reasoning_tokens":1,"prompt_cache_hit_tokens":8}}`, done),
			"1: usage prompt 9 completion 2 total 11 reasoning 1 cached 8 | from server usage\n2: done\n"},
		{"Anthropic's thinking", data(`{"type":"message_delta","delta":{},"usage":{"output_tokens":9,"output_tokens_details":{"thinking_tokens":5}}}`, done),
			"1: usage prompt -1 completion 9 total -1 reasoning 5 | from server usage\n2: done\n"},
		{"reasoning left out is added",
			data(`{"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":2,"total_tokens":354,"completion_tokens_details":{"reasoning_tokens":340}}}`, done),
			"1: usage prompt 12 completion 342 total 354 reasoning 340 (mended) | from server usage\n2: done\n"},
		{"what does not add up is only told",
			data(`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":10,"total_tokens":20,"completion_tokens_details":{"reasoning_tokens":11}}}`, done),
			"1: usage prompt 5 completion 10 total 20 reasoning 11 | from server usage\n2: done\n"},
	})
}

func TestRule4FinishReason(t *testing.T) {
	finish := func(reason string) string {
		return `{"choices":[{"index":0,"delta":{},"finish_reason":` + reason + `}]}`
	}
	for _, reason := range []string{"stop", "length", "tool_calls", "function_call", "content_filter", "abort", "eos",
		"model_length"} {
		check(t, []row{{reason, data(finish(`"` + reason + `"`)), "1: choices | finish " + reason + "\n"}})
	}
	const truncated = "end: FAULT truncated status 0 code \"\": the stream ended without a finish reason and without " +
		"[DONE]: try again; some servers end like this after an error: look at the server's log\n"
	check(t, []row{
		{"null and empty are none", data(finish("null"), finish(`""`)), "1: choices\n2: choices\n" + truncated},
		{"only [DONE]", data(chunkOf(`{"content":"x"}`), done), "1: choices | content \"x\"\n2: done\nall content: \"x\"\n"},
		{"neither", data(chunkOf(`{"content":"x"}`)), "1: choices | content \"x\"\n" + truncated + "all content: \"x\"\n"},
		{"nothing at all", nil, "end: FAULT truncated status 0 code \"\": the stream ended before its first event: try " +
			"again; look at the server's log, or record the stream and report it\n"},
		{"error without an error", data(finish(`"error"`), done),
			"1: choices | finish error\n2: done\nend: FAULT in_stream status 0 code \"error\": the server ended the response " +
				"with finish reason \"error\" and gave no message: look at the server's log, or record the stream and report it\n"},
		{"told as often as it comes", data(finish(`"length"`), finish(`"stop"`)),
			"1: choices | finish length\n2: choices | finish stop\n"},
	})
	t.Run("the caller knows the end", func(t *testing.T) {
		d, out := New(), Out{}
		d.Event(event(chunkOf(`{"content":"<thi"}`)), &out)
		d.Finish(false, &out)
		testkit.Is(t, describe(&out), `content "<thi"`)
	})
}

func TestRule5Errors(t *testing.T) {
	const sent = "FAULT in_stream status %d code %q: the server sent an error in the stream: %s\n"
	fault := func(status int, code, message string) string { return "1: " + fmt.Sprintf(sent, status, code, message) }
	check(t, []row{
		{"object", data(`{"error":{"message":"boom","type":"t","code":"c"}}`), fault(0, "c", "boom")},
		{"string", data(`{"error":"boom"}`), fault(0, "", "boom")},
		{"blank before the key", data(`{ "error": {"message":"boom","type":"t"}}`), fault(0, "t", "boom")},
		{"last key", data(`{"id":"x","choices":[],"error":{"message":"boom","code":418}}`),
			"1: " + "id x | " + strings.TrimPrefix(fault(418, "", "boom"), "1: ")},
		{"after a comment", []byte(": PROCESSING\n\ndata: {\"error\":{\"message\":\"boom\"}}\n\n"),
			"1: keep-alive\n2: " + strings.TrimPrefix(fault(0, "", "boom"), "1: ")},
		{"event: error", []byte("event: error\ndata: {\"error\":{\"message\":\"boom\"}}\n\n"), fault(0, "", "boom")},
		{"event: error without the key", []byte("event: error\ndata: {\"message\":\"boom\",\"code\":5}\n\n"),
			fault(0, "5", "boom")},
		{"event: error with plain text", []byte("event: error\ndata: boom and gone\n\n"), fault(0, "", "boom and gone")},
		{"event after data", []byte("data: {\"message\":\"boom\"}\nevent: error\n\n"), fault(0, "", "boom")},
		{"field", []byte("error: {\"code\":500,\"message\":\"boom\"}\n\n"),
			fault(500, "", "boom: the server failed: try again, and look at its log")},
		{"field with text", []byte("error: boom\n\n"), fault(0, "", "boom")},
		{"object is error", data(`{"object":"error","message":"boom","code":40303}`), fault(0, "40303", "boom")},
		{"in a choice", data(`{"choices":[{"index":0,"delta":{"content":""},"error":{"code":502,"message":"boom"}}]}`),
			"1: choices | " + strings.TrimPrefix(fault(502, "",
				"boom: the server, or one behind it, is unavailable: wait a moment and try again"), "1: ")},
		{"x_groq", data(`{"choices":[],"x_groq":{"error":"boom"}}`), fault(0, "", "boom")},
		{"anthropic", data(`{"type":"error","error":{"type":"api_error","message":"boom"}}`),
			strings.Replace(fault(0, "api_error", "boom"), "1: ", "1: done | ", 1)},
		{"in a list", data(`[{"error":{"code":400,"message":"boom","status":"INVALID_ARGUMENT"}}]`),
			fault(400, "INVALID_ARGUMENT", "boom")},
		{"cloudflare", data(`{"success":false,"errors":[{"code":1,"message":"boom"},{"message":"bang"}]}`),
			fault(0, "1", "boom; bang")},
		{"no message", data(`{"error":{"code":"c"}}`), fault(0, "c", "c")},
		{"nothing in it", data(`{"error":{}}`),
			"1: FAULT in_stream status 0 code \"\": the server sent an error without a message in the stream\n"},
		{"without a line end", []byte(`data: {"error":{"message":"boom"}}`), fault(0, "", "boom")},
		{"text is kept", data(chunkOf(`{"content":"half"}`),
			`{"choices":[{"delta":{"content":"!"}}],"error":{"message":"boom"}}`),
			"1: choices | content \"half\"\n2: choices | content \"!\" | " + strings.TrimPrefix(fault(0, "", "boom"),
				"1: ") + "all content: \"half!\"\n"},
	})
	for _, none := range []string{`null`, `false`, `""`, `0`, `[]`} {
		check(t, []row{{none + " is no error", data(`{"choices":[],"error":`+none+`}`, done), "2: done\n"}})
	}
}

func TestRule6ReadNothingStrictly(t *testing.T) {
	check(t, []row{
		{"created is a float", data(`{"id":"a","created":1790000000.251,"choices":[{"delta":{"content":"x"}}]}`, done),
			"1: choices | content \"x\" | id a\n2: done\nall content: \"x\"\n"},
		{"seed beyond int64", data(`{"choices":[{"delta":{"content":"x"},"seed":15924764223251450000,"index":0.0}]}`, done),
			"1: choices | content \"x\"\n2: done\nall content: \"x\"\n"},
		{"id is a number", data(`{"id":12,"model":null,"choices":[{"delta":{"content":"x"}}]}`, done),
			"1: choices | content \"x\"\n2: done\nall content: \"x\"\n"},
		{"the id changes", data(`{"id":"a","choices":[]}`, `{"id":"b","choices":[{"delta":{"content":"x"}}]}`,
			`{"id":"c","choices":[]}`, done), "2: choices | content \"x\" | id b\n4: done\nall content: \"x\"\n"},
		{"wrong types everywhere",
			data(`{"id":[],"model":{},"choices":[{"index":"x","delta":{"content":7,"role":[],"tool_calls":"t","refusal":{},"reasoning_details":"detail"},"finish_reason":3,"logprobs":[],"token_ids":{}},5,null],"usage":"u","timings":[],"x_groq":1,"prompt_progress":"p","error":null}`, done),
			"1: choices\n2: done\n"},
		{"choices is no list", data(`{"choices":{"0":{}},"usage":{"total_tokens":1}}`, done),
			"1: usage prompt -1 completion -1 total 1 | from server usage\n2: done\n"},
		{"delta is null", data(`{"choices":[{"index":0,"delta":null,"text":"x"}]}`, done),
			"1: choices | content \"x\"\n2: done\nall content: \"x\"\n"},
		{"choice 300", data(`{"choices":[{"index":300,"delta":{"content":"x"}},{"index":-4,"delta":{"content":"y"}}]}`,
			done), "1: choices | content \"x\" in choice 255 | content \"y\"\n2: done\nall content: \"xy\"\n"},
		{"infinities among the logprobs",
			data(`{"choices":[{"delta":{"content":"x"},"logprobs":{"content":[{"logprob":-Infinity,"top_logprobs":[{"logprob":NaN}]}]}}]}`, done), "1: choices | content \"x\" = 1 tokens | from logprobs\n2: done\nall content: \"x\"\n"},
		{"surrogates", data(chunkOf(`{"content":"\ud83d\ude00 \ud83d \ude00 \ud83dx"}`), done),
			"1: choices | content \"😀 � � �x\"\n2: done\nall content: \"😀 � � �x\"\n"},
		{"a tab in a string", data("{\"choices\":[{\"delta\":{\"content\":\"a\tb\"}}]}", done),
			"1: choices | content \"a\\tb\"\n2: done\nall content: \"a\\tb\"\n"},
		{"invalid UTF-8", data("{\"choices\":[{\"delta\":{\"content\":\"a\xffb\"}}]}", done),
			"1: choices | content \"a�b\"\n2: done\nall content: \"a�b\"\n"},
		{"escaped keys", data(`{"\u0063hoices":[{"d\u0065lta":{"content":"x"}}]}`, done),
			"1: choices | content \"x\"\n2: done\nall content: \"x\"\n"},
	})
}

func TestRule7ServerTimes(t *testing.T) {
	check(t, []row{
		{"timings", data(`{"choices":[],"timings":{"prompt_ms":21.5,"predicted_ms":66}}`, done),
			"1: prefill 21.5ms by timings.prompt_ms | decode 66ms by timings.predicted_ms\n2: done\n"},
		{"timings not yet", data(`{"choices":[],"timings":{"prompt_ms":0.0,"predicted_ms":0.0}}`, done), "2: done\n"},
		{"a queue of zero is a time", data(`{"choices":[],"time_info":{"queue_time":0}}`, done),
			"1: queue 0s by time_info.queue_time\n2: done\n"},
		{"numbers as strings", data(`{"choices":[],"perf_metrics":{"prefill-duration":"0.08","generation-duration":0.5}}`,
			done), "1: prefill 80ms by perf_metrics.prefill-duration | decode 500ms by perf_metrics.generation-duration\n2: " +
			"done\n"},
		{"no durations", data(`{"choices":[],"metrics":{"queue_time_ms":-1,"generation_time_ms":"soon","time_to_first_token_ms":1790000000000}}`, done), "2: done\n"},
		{"inside usage", data(`{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2,"time_to_first_token":0.0221,"total_latency":0.0297}}`, done),
			"1: usage prompt 1 completion 1 total 2 | from server usage | ttft 22.1ms by usage.time_to_first_token | total " +
				"29.7ms by usage.total_latency\n2: done\n"},
		{"one level deeper", data(`{"choices":[],"nvext":{"timing":{"ttft_ms":22},"worker_id":{"ttft_ms":1}}}`, done),
			"1: ttft 22ms by nvext.timing.ttft_ms\n2: done\n"},
		{"the prefill's progress",
			data(`{"choices":[],"prompt_progress":{"total":800,"cache":100,"processed":400,"time_ms":90}}`, done),
			"1: prefilled 400 of 800, 100 cached\n2: done\n"},
	})
}

func TestRule8Framing(t *testing.T) {
	const x, y = `{"choices":[{"delta":{"content":"x"}}]}`,
		`{"choices":[{"delta":{"content":"y"},"finish_reason":"stop"}]}`
	const want = "1: choices | content \"x\"\n2: choices | content \"y\" | finish stop\n3: done\nall content: \"xy\"\n"
	named := "data: " + x + "\nevent: chunk\n\nevent: chunk\ndata: " + y + "\n\ndata: [DONE]\n\n"
	check(t, []row{
		{"LF", data(x, y, done), want},
		{"CRLF", []byte(strings.ReplaceAll(string(data(x, y, done)), "\n", "\r\n")), want},
		{"CR", []byte(strings.ReplaceAll(string(data(x, y, done)), "\n", "\r")), want},
		{"BOM", append([]byte("\xef\xbb\xbf"), data(x, y, done)...), want},
		{"no space, trailing space", []byte("data:" + x + " \n\ndata:" + y + " \n\ndata:[DONE] \n\n"), want},
		{"one line end between events", []byte("data: " + x + "\ndata: " + y + "\ndata: [DONE]"), want},
		{"an event over several lines",
			[]byte("data: {\"choices\":\ndata: [{\"delta\":\ndata: {\"content\":\"x\"}}]}\n\ndata: " + y +
				"\n\ndata: [DONE]\n\n"), want},
		{"event before and after data", []byte(named), want},
		{"empty data", []byte("data:\n\ndata: " + x + "\n\ndata: \n\ndata: " + y + "\n\ndata: [DONE]\n\n"), want},
		{"the end marker in quotes", data(x, y, `"[DONE]"`), want},
	})
}

func TestMalformedEvents(t *testing.T) {
	good := chunkOf(`{"content":"x"}`)
	check(t, []row{
		{"one among good ones", data(good, `{"choices":[{"delta":{"content":"half`, stop),
			"1: choices | content \"x\"\n2: note malformed_event: an event is not a JSON object and was left out: " +
				"{\"choices\":[{\"delta\":{\"content\":\"half\n3: choices | finish stop\nall content: \"x\"\n"},
		{"counted", data(good, "{", "nonsense", stop),
			"1: choices | content \"x\"\n2: note malformed_event: an event is not a JSON object and was left out: {\n4: " +
				"choices | finish stop\nend: note malformed_events: 2 of 4 events were not JSON objects and were left out\nall " +
				"content: \"x\"\n"},
		{"nothing but them", data("hello", "world", done),
			"1: note malformed_event: an event is not a JSON object and was left out: hello\n3: done\nend: note " +
				"malformed_events: 2 of 3 events were not JSON objects and were left out | FAULT protocol status 0 code \"\": " +
				"not one of the 2 events of the stream is a JSON object: look at the server's log, or record the stream and " +
				"report it\n"},
		{"annotations are none", []byte("event: worker\ndata: 17\n\ndata: " + stop + "\n\n"), "2: choices | finish stop\n"},
		{"another API", []byte("event: step.delta\ndata: {\"type\":\"step.delta\",\"delta\":\"x\"}\n\n"),
			"end: FAULT protocol status 0 code \"\": the events of the stream are not chat completion chunks: check the path " +
				"of the URL: it should end in /v1, before /chat/completions\n"},
	})
	t.Run("leaves no trace", func(t *testing.T) {
		d, out := New(), Out{}
		d.Event(event(`{"model":"m","choices":[{"delta":{"content":"<think>"},"finish_reason":"stop"}],"usage":{"completion_tokens":5},"x":}`), &out)
		if len(out.Deltas) > 0 || out.Usage != nil || out.Finish != "" || out.Model != "" || d.finishReason != "" ||
			len(d.choices) > 0 {
			t.Errorf("%+v", out)
		}
	})
	t.Run("nested too deep", func(t *testing.T) {
		d, out := New(), Out{}
		d.Event(event(`{"choices":[],"x":`+strings.Repeat("[", maxDepth+1)+strings.Repeat("]", maxDepth+1)+`}`), &out)
		testkit.Is(t, len(out.Notes), 1, out)
		d.Event(event(`{"choices":[],"usage":{"total_tokens":1},"x":`+strings.Repeat(`[{"a":`,
			maxDepth/2)+"1"+strings.Repeat("}]", maxDepth/2)+`}`), &out)
		testkit.That(t, len(out.Notes) == 0 && out.Usage != nil, "%+v", out)
	})
}
