package turn

import (
	"slices"
	"time"

	"tokscope/metrics"
)

// Activity is what the time of a turn goes by with.
type Activity uint8

// The activities, in the order in which a turn has them.
const (
	Connect    Activity = iota // from the client's request until a connection is ready: DNS, TCP, TLS
	Upload                     // until the last byte of the request is sent
	Wait                       // until the first chunk: the server's queue and prefill
	Thinking                   // before a chunk of reasoning
	Text                       // before one of text, a refusal, sound or a picture
	Call                       // before one of a tool call
	ServerTool                 // a tool that the server runs itself worked
	Client                     // after the answer: the client and its tools, subagents among them
	You                        // after the answer: the client waited for a person
)

// String returns the word used in JSON.
func (a Activity) String() string {
	return [...]string{"connect", "upload", "wait", "thinking", "text", "tool_call", "server_tool",
		"client", "you"}[a]
}

// Span is a time in which a turn did one thing.
type Span struct {
	Activity Activity
	From, To metrics.Stamp
	Name     string // of the tool of a ServerTool, unsanitized; else ""
}

// timeOf sums the spans of some activities.
func timeOf(spans []Span, of ...Activity) (sum time.Duration) {
	for i := range spans {
		if s := &spans[i]; slices.Contains(of, s.Activity) {
			sum += time.Duration(s.To - s.From)
		}
	}
	return sum
}
