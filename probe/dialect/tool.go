package dialect

import (
	"bytes"

	"tokscope/metrics"
)

// toolCalls returns a delta for each tool call, or legacy function_call, that
// adds a name or arguments.
func (d *Decoder) toolCalls(index uint8, a *delta, out *Out) {
	s := &d.scan
	for more := s.elemsOf(a.tools); more; more = s.nextElem() {
		for k, more := s.firstKey(); more; k, more = s.nextKey() {
			if string(k) == "function" {
				function(s, index, out)
			}
		}
	}
	s.sub(a.function)
	function(s, index, out)
}

// function decodes {"name":…,"arguments":…}. Arguments that are an object are
// returned unchanged.
func function(s *scanner, index uint8, out *Out) {
	var name, args []byte
	for k, more := s.firstKey(); more; k, more = s.nextKey() {
		switch string(k) {
		case "name":
			name, _ = s.text()
		case "arguments":
			if c := s.peek(); c == '{' || c == '[' {
				args = bytes.ToValidUTF8(s.raw(), []byte("\uFFFD"))
			} else {
				args, _ = s.text()
			}
		}
	}
	if len(name) > 0 || len(args) > 0 {
		out.Deltas = append(out.Deltas,
			Delta{Kind: metrics.ToolCall, Choice: index, Text: args, Tokens: -1, Name: string(name)})
	}
}
