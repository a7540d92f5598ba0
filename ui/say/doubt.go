package say

import (
	"cmp"
	"fmt"

	"tokscope/metrics"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// BriefMost is the largest width of a doubt or a note in a few words.
const BriefMost = 30

// doubts has the words of every doubt about the figures: a clause, and what stands
// for it where room is short, in at most BriefMost columns.
var doubts = map[metrics.SuspectCode]struct {
	brief, text func(s *metrics.Suspicion) string
}{
	metrics.SuspectBuffered: {bufferBrief, bufferWords},
	metrics.SuspectTerminalBurst: {
		func(s *metrics.Suspicion) string { return format.Count(s.N) + " chunks in one read" },
		func(s *metrics.Suspicion) string {
			return format.Count(s.N) + " of " + format.Count(s.Of) +
				" chunks came in one read: gaps and speed are not the model's"
		}},
	metrics.SuspectHeld: {
		func(s *metrics.Suspicion) string { return format.Count(s.N) + " chunks held back" },
		func(s *metrics.Suspicion) string {
			return "chunks were held back: nothing for " + format.Ms(s.Ms) + ", then " + format.Count(s.N) + " within " +
				format.Limit(s.Limit)
		}},
	metrics.SuspectMultiToken: {
		func(s *metrics.Suspicion) string { return format.Number(s.Ratio) + " tokens a chunk" },
		func(s *metrics.Suspicion) string {
			return "a chunk carries " + format.Number(s.Ratio) + " tokens: a gap between chunks is not a gap between tokens"
		}},
	metrics.SuspectFirstChunk: {
		func(s *metrics.Suspicion) string { return format.Count(s.N) + " tokens in first chunk" },
		func(s *metrics.Suspicion) string {
			return "the first chunk carried " + format.Count(s.N) + " tokens: TPOT is " + format.Percent(s.Ratio) + " too small"
		}},
	metrics.SuspectFewTokens: {
		func(*metrics.Suspicion) string { return "fewer tokens than chunks" },
		func(s *metrics.Suspicion) string {
			return format.Count(s.N) + " tokens counted for " + format.Count(s.Of) + " chunks: the count may leave something out"
		}},
	metrics.SuspectUsageZero: {
		func(*metrics.Suspicion) string { return "usage of 0 tokens: not used" },
		func(s *metrics.Suspicion) string {
			return "the server counts 0 output tokens for " + format.Count(s.N) + " chunks: not used"
		}},
	metrics.SuspectUsageOver: {
		func(*metrics.Suspicion) string { return "usage too high: not used" },
		func(s *metrics.Suspicion) string {
			return "the server counts " + format.Count(s.N) + " output tokens, the stream can carry " + format.Count(s.Of) +
				" at most: not used"
		}},
	metrics.SuspectUsageAsked: {
		func(*metrics.Suspicion) string { return "usage too high: not used" },
		func(s *metrics.Suspicion) string {
			return "the server counts " + format.Count(s.N) + " output tokens, far more than its text has and than the " +
				format.Count(s.Of) + " asked for: not used"
		}},
	metrics.SuspectUsageFell: {
		func(*metrics.Suspicion) string { return "usage fell: not used" },
		func(s *metrics.Suspicion) string {
			return "the server's count of output tokens fell from " + format.Count(s.Of) + " to " + format.Count(s.N) +
				": not used"
		}},
	metrics.SuspectPromptOver: {
		func(*metrics.Suspicion) string { return "prompt count not used" },
		func(s *metrics.Suspicion) string {
			return "the server counts " + format.Count(s.N) + " prompt tokens, " + format.Count(s.Of) +
				" bytes were sent: not used"
		}},
	metrics.SuspectPromptCut: {
		func(*metrics.Suspicion) string { return "the server cut the prompt" },
		func(s *metrics.Suspicion) string {
			return "the server counts " + format.Count(s.N) + " prompt tokens of " + format.Count(s.Of) +
				" or more: it cut the prompt, so TTFT is that of a shorter one"
		}},
	metrics.SuspectHidden: {
		func(*metrics.Suspicion) string { return "hidden reasoning left out" },
		func(s *metrics.Suspicion) string {
			return format.Count(s.N) + " reasoning tokens were counted and not sent: left out of TPOT and speed"
		}},
	metrics.SuspectCompressed: {
		func(*metrics.Suspicion) string { return "compressed, so maybe held" },
		func(s *metrics.Suspicion) string {
			return fmt.Sprintf("the response came with Content-Encoding %q although none was offered: "+
				"the encoder may hold chunks back", sanitize.Line(s.Name, nameMost))
		}},
	metrics.SuspectTruncated: {
		func(*metrics.Suspicion) string { return "ended without [DONE]" },
		func(s *metrics.Suspicion) string {
			return "the stream ended without a finish reason and without [DONE] after " + format.Count(s.N) + " chunks"
		}},
	metrics.SuspectLate: {
		func(s *metrics.Suspicion) string { return "tokscope lagged " + format.Ms(s.Delay.P99) },
		func(s *metrics.Suspicion) string {
			d := s.Delay
			d.Code = cmp.Or(d.Code, metrics.DelayStamps)
			text, _ := Delay(&d)
			return text
		}},
	metrics.SuspectStopped: {
		func(s *metrics.Suspicion) string { return "tokscope suspended " + format.Ms(s.Ms) },
		func(s *metrics.Suspicion) string {
			return "tokscope was suspended for " + format.Ms(s.Ms) +
				", or the machine was: a gap across this is not the server's"
		}},
	metrics.SuspectMixed: {
		func(*metrics.Suspicion) string { return "stamps of two kinds" },
		func(s *metrics.Suspicion) string {
			return format.Count(s.N) + " chunks have the kernel's stamp, " + format.Count(s.Of) +
				" our own: gaps across the two are less exact"
		}},
	metrics.SuspectBody: {
		func(*metrics.Suspicion) string { return "stamps above HTTP/2: late" },
		func(*metrics.Suspicion) string {
			return "stamps are taken at reads of the body, above HTTP/2: later than arrival"
		}},
	metrics.SuspectClock: {
		func(s *metrics.Suspicion) string { return "wall clock moved " + format.Ms(s.Ms) },
		func(s *metrics.Suspicion) string {
			return "the wall clock moved by " + format.Ms(s.Ms) + ": kernel stamps may be off by as much"
		}},
	metrics.SuspectServer: {
		func(*metrics.Suspicion) string { return "server reports a longer wait" },
		func(s *metrics.Suspicion) string {
			return "the server reports " + format.Ms(s.Ms) + " before the first token; the client waited " + format.Ms(s.Limit)
		}},
	metrics.SuspectCached: {
		func(*metrics.Suspicion) string { return "prompt partly from a cache" },
		func(s *metrics.Suspicion) string {
			return format.Count(s.N) + " of " + format.Count(s.Of) +
				" prompt tokens came from the server's cache: TTFT is not that of a new prompt"
		}},
	metrics.SuspectChoices: {
		func(s *metrics.Suspicion) string { return "one of " + format.Count(s.N) + " choices shown" },
		func(s *metrics.Suspicion) string {
			return format.Count(s.N) + " choices at once: gaps, TPOT, speed and words are those of choice " + format.Count(s.Of)
		}},
	metrics.SuspectOrder: {
		func(*metrics.Suspicion) string { return "stamps out of order" },
		func(s *metrics.Suspicion) string {
			return format.Count(s.N) + " chunks have a stamp that is not after the one before: their gaps are unknown"
		}},
}

// Suspicion is a doubt about the figures as a sentence with its numbers, and the
// setting to try where a proxy is known. An unknown code is written as it is.
func Suspicion(s *metrics.Suspicion) string { return suspicion(s).String() }

// SuspicionBrief is Suspicion in a few words.
func SuspicionBrief(s *metrics.Suspicion) string {
	c := suspicion(s)[0]
	return cmp.Or(c.Brief, c.Text)
}

// suspicion is a doubt as its clauses.
func suspicion(s *metrics.Suspicion) Sentence {
	d, known := doubts[s.Code]
	if !known {
		return Sentence{{Text: string(s.Code)}}
	}
	out := Sentence{{Text: d.text(s), Brief: d.brief(s)}}
	if s.Code == metrics.SuspectBuffered {
		if set := firstAdvice(s); set != "" {
			out = append(out, Clause{Text: "; " + set, Rank: 1})
		}
	}
	return out
}

// notes are the notes on a stream in a few words, by code.
var notes = map[string]string{
	metrics.NoteOtherModel: "another model answered",
	metrics.NoteModelAlias: "the model has another name",
	"http2_not_spoken":     "no HTTP/2",
	"malformed_event":      "an event was malformed",
	"malformed_events":     "events were malformed",
	"retried":              "the request was sent twice",
	"usage_negative":       "negative usage: not used",
}

// NoteBrief is a note in at most BriefMost columns. A code without words of its
// own is written with blanks.
func NoteBrief(n *metrics.Note) string {
	if text := notes[n.Code]; text != "" {
		return text
	}
	b := []byte(n.Code[:min(len(n.Code), BriefMost)])
	for i := range b {
		if b[i] == '_' || b[i] < ' ' || b[i] > '~' {
			b[i] = ' '
		}
	}
	return string(b)
}
