package say

import (
	"tokscope/metrics"
	"tokscope/ui/format"
)

// Work names what w sends: a preset, "custom", or of a conversation
// "6 messages, 2 tools, 12.4 kB".
func Work(w *metrics.Workload) string {
	if w.Messages == "" {
		return w.Name
	}
	return Prompt(w)
}

// Prompt writes the prompt of w in words where it is no text: that of a conversation.
func Prompt(w *metrics.Workload) string {
	if w.Messages == "" {
		return w.Prompt
	}
	tools := w.Tools.Count()
	return format.Plural(w.Messages.Count(), "message", "messages") +
		format.If(tools > 0, ", "+format.Plural(tools, "tool", "tools")) +
		", " + format.Amount(float64(len(w.Messages)+len(w.Tools)), "B")
}
