package live

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// Calls of functions are drawn as name(arguments), one a line, however they are
// cut, and the parenthesis of the last one closes with the part.
func TestCallsOfFunctions(t *testing.T) {
	var s metrics.Stream
	s.ID, s.State = 1, metrics.Decoding
	add := func(k metrics.Kind, name, text string) {
		s.Text = append(s.Text, name+text...)
		s.Chunks = append(s.Chunks, metrics.Chunk{Kind: k, Name: uint16(len(name)), TextEnd: int32(len(s.Text))})
	}
	var l lines
	check := func(want string) {
		t.Helper()
		l.update(&s, 60)
		testkit.Is(t, l.text.String(), want)
	}
	add(metrics.ToolCall, "weather", "")
	check("weather(")
	add(metrics.ToolCall, "", `{"city":`)
	add(metrics.ToolCall, "", `"Oslo"}`)
	check(`weather({"city":"Oslo"}`)
	add(metrics.ToolCall, "clock", `{"tz":"CET"}`)
	check("weather({\"city\":\"Oslo\"})\nclock({\"tz\":\"CET\"}")
	add(metrics.Content, "", "That is all.")
	check("weather({\"city\":\"Oslo\"})\nclock({\"tz\":\"CET\"})That is all.")
	add(metrics.ToolCall, "bye", "")
	s.State = metrics.Done
	check("weather({\"city\":\"Oslo\"})\nclock({\"tz\":\"CET\"})That is all.bye()")
	if n := l.parts[0]; n.first != 0 || n.last != 3 {
		t.Errorf("the first part has chunks %d to %d, want 0 to 3", n.first, n.last)
	}
	testkit.Is(t, l.chunkEnds[len(l.chunkEnds)-1], l.len(), "the last chunk ends at")
}
