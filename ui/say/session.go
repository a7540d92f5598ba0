package say

import (
	"tokscope/metrics/turn"
	"tokscope/ui/format"
)

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
