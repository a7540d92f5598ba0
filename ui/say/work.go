package say

import (
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/turn"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// Work names what w sends: a preset, "custom", or of a conversation
// "6 messages, 2 tools, 12.4 kB".
func Work(w *metrics.Workload) string { return format.Either(w.Messages == "", w.Name, Prompt(w)) }

// Settings writes what the requests to e say beside their workload: "API messages, with
// X-Team: blue, extra.top_k=40"; "" for nothing.
func Settings(e *metrics.Endpoint) string {
	api, text := "", sanitize.Line(e.Settings, mostSettings)
	if named := "api=" + e.API; e.API != "" && strings.HasPrefix(text, named) {
		api, text = "API "+e.API, strings.TrimPrefix(text[len(named):], ", ")
	}
	return format.Join(", ", api, format.If(text != "", "with "+text))
}

// mostSettings is the largest width of settings; what made them bounds their bytes.
const mostSettings = 240

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

// PastedReads is the question before a pasted command for host reads variables, NAME,
// and files, @PATH.
func PastedReads(reads []string, host string) string {
	return "The pasted command reads " + strings.Join(reads, ", ") + " on this machine, for its request to " + host +
		". Read that, and use the command?"
}

// Session says what is played of a session, and what of it is not as it was.
func Session(s *turn.Script) string {
	agents := format.If(s.OfAgents > 0, " ("+format.Count(s.OfAgents)+" of subagents, one after the other)")
	return format.Join(", ",
		format.Plural(s.Turns, "turn", "turns")+agents+" of "+format.Plural(s.Conversations, "conversation", "conversations"),
		format.Count(s.Prompt)+" tokens in", format.Percent(float64(s.Shared)/float64(s.Prompt))+" of them shared prefix",
		format.Count(s.Output)+" out", "pauses "+format.Duration(s.Pauses), "texts by tokscope",
		format.If(s.LeftOut > 0, format.Plural(s.LeftOut, "turn", "turns")+" left out (failed, or unknown)"),
		format.If(s.Estimated > 0, "tokens of "+format.Plural(s.Estimated, "turn", "turns")+" estimated"),
		format.If(s.Shortened > 0, format.Plural(s.Shortened, "wait", "waits")+" for you cut to "+
			format.Duration(turn.MostWait)))
}
