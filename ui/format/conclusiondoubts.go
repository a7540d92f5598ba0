package format

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tokscope/metrics"
)

// ConclusionNames reports whether text, written by ConclusionFit, holds the
// clause of the doubt s.
func ConclusionNames(text string, s *metrics.Suspicion) bool {
	if text == "" {
		return false
	}
	long, short := doubtWords(s)
	return long != "" && (strings.Contains(text, long) || strings.Contains(text, capital(long)) ||
		strings.Contains(text, short) || strings.Contains(text, capital(short)))
}

// shortAdvised is the width up to which a short clause holds a setting, so that
// the clause fits wherever it stands alone.
const shortAdvised = 66

// notUsed is what a count that cannot be true leads to.
const notUsed = "the server's token count is impossible: not used"

// doubtWords writes a doubt about the figures as a clause. The note beside the
// figures, Suspicion, says more.
func doubtWords(s *metrics.Suspicion) (long, short string) {
	n, of := Count(s.N), Count(s.Of)
	switch s.Code {
	case metrics.SuspectBuffered:
		long, short := bufferWords(s)
		if set := firstAdvice(s); set != "" {
			long += "; " + set
			if advised := short + "; " + set; ansi.StringWidth(advised) <= shortAdvised {
				short = advised
			}
		}
		return long, short
	case metrics.SuspectTerminalBurst:
		return n + " of " + of + " chunks came in one read: the gaps are not the model's", n +
			" of " + of + " chunks in one read"
	case metrics.SuspectHeld:
		return "chunks were held back: nothing for " + Ms(s.Ms) + ", then " + n + " within " +
			Limit(s.Limit), "held back " + Ms(s.Ms) + ", then " + n + " chunks at once"
	case metrics.SuspectMultiToken:
		return same(Number(s.Ratio) + " tokens a chunk")
	case metrics.SuspectFirstChunk:
		return "the first chunk carried " + n + " tokens: TPOT is " +
			Percent(s.Ratio) + " too small", "the first chunk carried " + n + " tokens"
	case metrics.SuspectFewTokens:
		return same("only " + n + " tokens counted for " + of + " chunks")
	case metrics.SuspectUsageZero, metrics.SuspectUsageOver, metrics.SuspectUsageAsked, metrics.SuspectUsageFell:
		return same(notUsed)
	case metrics.SuspectPromptOver:
		return same("the server's prompt count is impossible: not used")
	case metrics.SuspectPromptCut:
		return "the server cut the prompt: it counts " + n +
			" tokens of at least " + of, "the server cut the prompt to " + n + " tokens"
	case metrics.SuspectHidden:
		return same(n + " reasoning tokens were not sent")
	case metrics.SuspectCompressed:
		return "the response was compressed: the encoder may hold chunks back", "the response was compressed"
	case metrics.SuspectLate:
		if d := &s.Delay; d.Code == metrics.DelayReads {
			read := "tokscope read " + Ms(d.P99) + " late (p99)"
			return read + ": " + Percent(d.Shared) + " of the gaps have only bounds", read
		}
		lagged := "tokscope lagged " + Ms(s.Delay.P99) + " (p99)"
		return lagged + ": gaps may be late by as much", lagged
	case metrics.SuspectStopped:
		return same("tokscope or this machine stood still for " + Ms(s.Ms))
	case metrics.SuspectMixed:
		return same("only " + n + " of " + Count(s.N+s.Of) + " timestamps are the kernel's")
	case metrics.SuspectBody:
		return same("timestamps are taken above HTTP/2")
	case metrics.SuspectClock:
		return same("the wall clock moved by " + Ms(s.Ms))
	case metrics.SuspectServer:
		return same("the server reports " + Ms(s.Ms) + " of a wait of " + Ms(s.Limit))
	case metrics.SuspectCached:
		return n + " of " + of + " prompt tokens were cached: TTFT is not a new prompt's", n +
			" of " + of + " prompt tokens cached"
	case metrics.SuspectChoices:
		return same(n + " choices at once: figures are of choice " + of)
	case metrics.SuspectOrder:
		return same("stamps that do not rise: " + Plural(s.N, "chunk", "chunks"))
	}
	return "", ""
}
