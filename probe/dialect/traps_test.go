package dialect

import (
	"strconv"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// TestTraps checks events that break go-openai's Recv, and clients that stop
// at the first oddity.
func TestTraps(t *testing.T) {
	const boom = "FAULT in_stream status 0 code \"\": the server sent an error in the stream: boom\n"
	check(t, []row{
		{"400 keep-alives are no end", append([]byte(strings.Repeat(":\n\n", 400)), data(stop, done)...), func() string {
			var b strings.Builder
			for n := range 400 {
				b.WriteString(strings.ReplaceAll("N: keep-alive\n", "N", strconv.Itoa(n+1)))
			}
			return b.String() + "401: choices | finish stop\n402: done\n"
		}()},
		{"an error after a comment", []byte(": PROCESSING\n\ndata: {\"error\":{\"message\":\"boom\"}}\n\n"),
			"1: keep-alive\n2: " + boom},
		{"an error that is not the first key",
			data(`{"id":"","choices":[{"delta":{"content":""}}],"error":{"message":"boom"}}`), "1: choices | " + boom},
		{"an error as the last line without its end", []byte("data: {\"error\":{\"message\":\"boom\"}}"), "1: " + boom},
		{"an error before the socket dies", []byte("data: {\"error\":{\"message\":\"boom\"}}\n"), "1: " + boom},
		{"an error that is a string", data(`{"error":"boom"}`), "1: " + boom},
		{"the last event without its end",
			[]byte("data: " + chunkOf(`{"content":"a"}`) + "\n\ndata: " +
				`{"choices":[{"delta":{"content":"b"},"finish_reason":"stop"}]}`),
			"1: choices | content \"a\"\n2: choices | content \"b\" | finish stop\nall content: \"ab\"\n"},
		{"content that is a list, created that is a float",
			data(`{"created":1.5,"choices":[{"delta":{"content":[{"type":"text","text":"a"}]},"finish_reason":"stop"}]}`),
			"1: choices | content \"a\" | finish stop\nall content: \"a\"\n"},
		{"[DONE] is not the only end", data(stop), "1: choices | finish stop\n"},
		{"something follows [DONE]",
			data(stop, done, `{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`),
			"1: choices | finish stop\n2: done\n3: usage prompt 1 completion 1 total 2 | from server usage\n"},
	})
}

// TestTrapWholeErrorIsKept checks that the body keeps what the message omits.
func TestTrapWholeErrorIsKept(t *testing.T) {
	d, out := New(), Out{}
	d.Event(event(`{"choices":[],"error":{"message":"no","code":"tool_use_failed","failed_generation":"<f>","metadata":{"raw":"x"}}}`), &out)
	if f := out.Fault; f == nil || !strings.Contains(f.Body, "failed_generation") ||
		!strings.Contains(f.Body, `"raw":"x"`) {
		t.Errorf("%+v", out.Fault)
	}
}

// TestTrapLongEvents checks an event of the framer's maximum length.
func TestTrapLongEvents(t *testing.T) {
	text := strings.Repeat("0123456789äöü\\n", 30000)
	want := strings.ReplaceAll(text, `\n`, "\n")
	d, out := New(), Out{}
	d.Event(event(`{"pad":"`+text+`","choices":[{"delta":{"content":"`+text+`"}}]}`), &out)
	testkit.That(t, len(out.Deltas) == 1 && string(out.Deltas[0].Text) == want, "%d deltas", len(out.Deltas))
}

// TestTrapNothingIsShared: counts and names that were copied stay as they were,
// and an Out that is reused carries nothing over.
func TestTrapNothingIsShared(t *testing.T) {
	d, out := New(), Out{}
	doc := []byte(`{"model":"m","choices":[{"delta":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3},"timings":{"prompt_ms":1},"prompt_progress":{"total":2}}`)
	ev := event(string(doc))
	d.Event(ev, &out)
	kept, model := *out.Usage, out.Model
	raw := string(kept.Raw)
	for i := range ev.Data {
		ev.Data[i] = 'X'
	}
	d.Event(event(`{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":8,"total_tokens":15}}`), &out)
	if raw != `{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}` || kept.Completion != 2 || model != "m" {
		t.Errorf("%+v %q", kept, model)
	}
	d.Event(event(`{"choices":[]}`), &out)
	if describe(&out) != "" || out.LiveTokens != -1 || out.Usage != nil || out.TokensFrom != metrics.TokensUnknown {
		t.Errorf("%+v", out)
	}
}

// TestTrapHostileLists: what an event makes stays in proportion to its size.
func TestTrapHostileLists(t *testing.T) {
	d, out := New(), Out{}
	d.Event(event(`{"choices":[`+strings.Repeat("{},", 100000)+`{"delta":{"content":"x"}}]}`), &out)
	testkit.That(t, cap(d.msg.choices) <= 2*maxChoices && len(d.choices) <= maxChoices && out.Choices,
		"%d choices, %d states", cap(d.msg.choices), len(d.choices))
}

// TestTrapPing checks that a keep-alive is not data, with any content.
func TestTrapPing(t *testing.T) {
	check(t, []row{
		{"empty object", []byte("event: ping\ndata: {}\n\ndata: [DONE]\n\n"), "1: keep-alive\n2: done\n"},
		{"only the type", data(`{"type":"ping"}`, done), "1: keep-alive\n2: done\n"},
	})
}
