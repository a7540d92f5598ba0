package format

import (
	"cmp"
	"fmt"

	"tokscope/metrics"
)

// suspicions has a writer for every code of a doubt about the figures.
var suspicions = map[metrics.SuspectCode]func(s *metrics.Suspicion) string{
	metrics.SuspectBuffered: func(s *metrics.Suspicion) string {
		text, _ := bufferWords(s)
		if set := firstAdvice(s); set != "" {
			text += "; " + set
		}
		return text
	},
	metrics.SuspectTerminalBurst: func(s *metrics.Suspicion) string {
		return fmt.Sprintf("%s of %s chunks came in one read: something held them back; gaps and speed are not the model's",
			Count(s.N), Count(s.Of))
	},
	metrics.SuspectHeld: func(s *metrics.Suspicion) string {
		return fmt.Sprintf("after a silence of %s, %s chunks came within %s: the "+
			"server or something on the way held them back", Ms(s.Ms), Count(s.N), Ms(s.Limit))
	},
	metrics.SuspectMultiToken: func(s *metrics.Suspicion) string {
		return fmt.Sprintf("a chunk carries %s tokens: a gap between chunks is not a gap between tokens", Number(s.Ratio))
	},
	metrics.SuspectFirstChunk: func(s *metrics.Suspicion) string {
		return fmt.Sprintf("the first chunk carried %s tokens: by (last − first)/(n − 1) TPOT is %s too small",
			Count(s.N), Percent(s.Ratio))
	},
	metrics.SuspectFewTokens: func(s *metrics.Suspicion) string {
		return fmt.Sprintf("%s tokens counted for %s chunks: the count may leave something out", Count(s.N), Count(s.Of))
	},
	metrics.SuspectUsageZero: func(s *metrics.Suspicion) string {
		return fmt.Sprintf("the server's usage says 0 output tokens beside %s chunks: not used", Count(s.N))
	},
	metrics.SuspectUsageOver: func(s *metrics.Suspicion) string {
		return fmt.Sprintf("the server counts %s output tokens, the stream can carry %s at most: not used",
			Count(s.N), Count(s.Of))
	},
	metrics.SuspectUsageAsked: func(s *metrics.Suspicion) string {
		return fmt.Sprintf("the server counts %s output tokens, far more than "+
			"its text has and than the %s asked for: not used", Count(s.N), Count(s.Of))
	},
	metrics.SuspectUsageFell: func(s *metrics.Suspicion) string {
		return fmt.Sprintf("the server's count of output tokens fell from %s to %s: not used", Count(s.Of), Count(s.N))
	},
	metrics.SuspectPromptOver: func(s *metrics.Suspicion) string {
		return fmt.Sprintf("the server counts %s prompt tokens, %s bytes were sent: not used", Count(s.N), Count(s.Of))
	},
	metrics.SuspectPromptCut: func(s *metrics.Suspicion) string {
		return fmt.Sprintf("the server counts %s prompt tokens of %s or more: "+
			"it cut the prompt, so TTFT is that of a shorter one", Count(s.N), Count(s.Of))
	},
	metrics.SuspectHidden: func(s *metrics.Suspicion) string {
		return fmt.Sprintf("%s reasoning tokens were counted and not sent: left out of TPOT and speed", Count(s.N))
	},
	metrics.SuspectCompressed: func(s *metrics.Suspicion) string {
		return fmt.Sprintf(
			"the response came with Content-Encoding %q although none was offered: the encoder may hold chunks back", s.Name)
	},
	metrics.SuspectTruncated: func(s *metrics.Suspicion) string {
		return fmt.Sprintf("the stream ended without a finish reason and without [DONE] after %s chunks", Count(s.N))
	},
	metrics.SuspectLate: func(s *metrics.Suspicion) string {
		d := s.Delay
		d.Code = cmp.Or(d.Code, metrics.DelayStamps)
		text, _ := Delay(&d)
		return text
	},
	metrics.SuspectStopped: func(s *metrics.Suspicion) string {
		return fmt.Sprintf("tokscope was suspended for %s, or the machine was: a gap across this is not the server's",
			Ms(s.Ms))
	},
	metrics.SuspectMixed: func(s *metrics.Suspicion) string {
		return fmt.Sprintf("%s chunks have the kernel's stamp, %s our own: gaps across the two are less exact",
			Count(s.N), Count(s.Of))
	},
	metrics.SuspectBody: func(*metrics.Suspicion) string {
		return "stamps are taken at reads of the body, above HTTP/2: later than arrival"
	},
	metrics.SuspectClock: func(s *metrics.Suspicion) string {
		return fmt.Sprintf("the wall clock moved by %s: kernel stamps may be off by as much", Ms(s.Ms))
	},
	metrics.SuspectServer: func(s *metrics.Suspicion) string {
		return fmt.Sprintf("the server reports %s before the first token; the client waited %s", Ms(s.Ms), Ms(s.Limit))
	},
	metrics.SuspectCached: func(s *metrics.Suspicion) string {
		return fmt.Sprintf("%s of %s prompt tokens came from the server's cache: TTFT is not that of a new prompt",
			Count(s.N), Count(s.Of))
	},
	metrics.SuspectChoices: func(s *metrics.Suspicion) string {
		return fmt.Sprintf("%d choices at once: gaps, TPOT, speed and words are those of choice %d", s.N, s.Of)
	},
	metrics.SuspectOrder: func(s *metrics.Suspicion) string {
		return fmt.Sprintf("%s chunks have a stamp that is not after the one before: their gaps are unknown", Count(s.N))
	},
}

// Suspicion is a doubt about the figures as a sentence with its numbers. An
// unknown code is written as it is.
func Suspicion(s *metrics.Suspicion) string {
	write := suspicions[s.Code]
	if write == nil {
		return string(s.Code)
	}
	return write(s)
}
