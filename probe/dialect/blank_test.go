package dialect

import (
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/sse"
)

// TestBlankEvents: an event is blank if its first choice adds an empty text as
// content and has no role, whatever else it carries. vLLM's client counts those.
func TestBlankEvents(t *testing.T) {
	for delta, want := range map[string]bool{
		`{"content":""}`: true,
		`{"content":"","reasoning_content":"so"}`:   true,
		`{"content":"","role":"assistant"}`:         false,
		`{"content":"","role":null}`:                false,
		`{"content":"","role":""}`:                  false,
		`{"content":null}`:                          false,
		`{"content":" "}`:                           false,
		`{"content":[]}`:                            false,
		`{}`:                                        false,
		`{"content":"","tool_calls":[{"index":0}]}`: true,
		`{"content":"x","content":""}`:              true,
		`{"reasoning":"so"}`:                        false,
	} {
		var out Out
		new(Decoder).Event(sse.Event{Data: []byte(chunkOf(delta))}, &out)
		testkit.That(t, out.Blank == want, "%s: blank is %v", delta, out.Blank)
	}
	var out Out
	new(Decoder).Event(sse.Event{Data: []byte(`{"choices":[{"index":1,"delta":{"content":""}}]}`)}, &out)
	testkit.That(t, !out.Blank, "an event of the second choice is blank")
}
