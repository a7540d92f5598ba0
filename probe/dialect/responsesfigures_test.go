package dialect_test

import (
	"fmt"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/sse"
)

// responded returns an event of the Responses API, of the item with that index.
func responded(typ string, item int, more string) string {
	return fmt.Sprintf(`{"type":"response.%s","output_index":%d%s}`, typ, item, more)
}

func completed(output, thought int) string {
	return fmt.Sprintf(`{"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":12,`+
		`"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":%d},"total_tokens":%d}}}`, output, thought, output+12)
}

// TestResponsesThinking: the speed is that of what came. Thinking that was not sent, and a
// summary of it, are left out; the thinking itself, under the summary's name, is not.
func TestResponsesThinking(t *testing.T) {
	for _, c := range []struct {
		name             string
		shown, thought   int // events with a word of thinking, and the server's count of it
		ttft, tpot, gaps float64
		code             metrics.SuspectCode
	}{
		{"hidden", 0, 320, 2000, 10, 4, metrics.SuspectHidden},
		{"a summary", 3, 320, 500, 10, 4, metrics.SuspectSummarized},
		{"itself", 3, 3, 500, 220, 7, ""},
	} {
		events := []any{100, `{"type":"response.created","response":{"id":"r","model":"m"}}`}
		for i := range c.shown {
			events = append(events, 500+10*i, responded("reasoning_summary_text.delta", 0, `,"delta":" cups"`))
		}
		events = append(events, 600, responded("reasoning_summary_text.done", 0, `,"text":" cups cups cups"`))
		if c.shown == 0 {
			events = events[:2]
		}
		for i := range 5 { // one token each
			events = append(events, 2000+10*i, responded("output_text.delta", 1, `,"delta":" tea"`))
		}
		v, _ := record(t, timed(append(events, 2060, completed(5+c.thought, c.thought))...), sse.Undecided)
		f := metrics.Measure(&v, metrics.Options{})
		if f.TTFT.V != c.ttft || f.TTFC.V != 2000 || f.TPOT.V != c.tpot || float64(f.Gaps.N) != c.gaps ||
			f.Tokens.V != float64(5+c.thought) {
			t.Errorf("%s: TTFT %v, TTFC %v, TPOT %+v, %d gaps, %v tokens", c.name, f.TTFT.V, f.TTFC.V, f.TPOT, f.Gaps.N,
				f.Tokens.V)
		}
		for _, code := range []metrics.SuspectCode{metrics.SuspectHidden, metrics.SuspectSummarized} {
			testkit.Is(t, f.Suspects(code), code == c.code, c.name, "doubts", f.Suspect)
		}
	}
}

// TestResponsesWaits: a tool that the server runs is a wait from where it begins to work, once
// the model has written what it gets, and no part of the pace.
func TestResponsesWaits(t *testing.T) {
	v, _ := record(t, timed(
		100, `{"type":"response.created","response":{"id":"r","model":"m"}}`,
		200, responded("output_item.added", 0, `,"item":{"id":"ws","type":"web_search_call"}`),
		210, responded("web_search_call.in_progress", 0, ""),
		220, responded("web_search_call.searching", 0, ""),
		900, responded("web_search_call.completed", 0, ""),
		910, responded("output_item.done", 0, `,"item":{"id":"ws","type":"web_search_call","action":{"query":"tea"}}`),
		1000, responded("output_item.added", 1, `,"item":{"id":"m","type":"mcp_call","name":"kettle","arguments":""}`),
		1001, responded("mcp_call.in_progress", 1, ""),
		1010, responded("mcp_call_arguments.delta", 1, `,"delta":"{}"`),
		1020, responded("mcp_call_arguments.done", 1, `,"arguments":"{}"`),
		3000, responded("output_item.done", 1, `,"item":{"id":"m","type":"mcp_call","name":"kettle","arguments":"{}"}`),
		3010, responded("output_text.delta", 2, `,"delta":"It"`),
		3020, responded("output_text.delta", 2, `,"delta":" boils"`),
		3030, responded("image_generation_call.generating", 3, ""),
		3040, completed(4, 0)), sse.Undecided)
	ms := func(n int) metrics.Stamp { return metrics.Stamp(n) * 1e6 }
	want := []metrics.Wait{{Name: "web_search", From: ms(210), To: ms(900)}, {Name: "mcp", From: ms(1020), To: ms(3000)},
		{Name: "image_generation", From: ms(3030), To: metrics.NoStamp}}
	testkit.Is(t, fmt.Sprint(v.Waits), fmt.Sprint(want), "waits")
	f := metrics.Measure(&v, metrics.Options{})
	testkit.That(t, f.TTFT.V == 1000 && f.Gaps.N == 2 && f.Gaps.Max.V == 10 && f.TPOT.V == 10,
		"TTFT %v, gaps %+v, TPOT %+v", f.TTFT.V, f.Gaps, f.TPOT)
}
