package format

import (
	"fmt"

	"tokscope/metrics"
)

// briefs has a writer for every doubt, for a line of a screen: at most BriefMost
// columns.
var briefs = map[metrics.SuspectCode]func(s *metrics.Suspicion) string{
	metrics.SuspectBuffered: func(s *metrics.Suspicion) string {
		return "buffered: " +
			Number(s.Ratio) + " chunks a read"
	},
	metrics.SuspectTerminalBurst: func(s *metrics.Suspicion) string { return Count(s.N) + " chunks in one read" },
	metrics.SuspectHeld:          func(s *metrics.Suspicion) string { return Count(s.N) + " chunks held back" },
	metrics.SuspectMultiToken:    func(s *metrics.Suspicion) string { return Number(s.Ratio) + " tokens a chunk" },
	metrics.SuspectFirstChunk:    func(s *metrics.Suspicion) string { return Count(s.N) + " tokens in first chunk" },
	metrics.SuspectFewTokens:     func(*metrics.Suspicion) string { return "fewer tokens than chunks" },
	metrics.SuspectUsageZero:     func(*metrics.Suspicion) string { return "usage of 0 tokens: not used" },
	metrics.SuspectUsageOver:     func(*metrics.Suspicion) string { return "usage too high: not used" },
	metrics.SuspectUsageAsked:    func(*metrics.Suspicion) string { return "usage too high: not used" },
	metrics.SuspectUsageFell:     func(*metrics.Suspicion) string { return "usage fell: not used" },
	metrics.SuspectPromptOver:    func(*metrics.Suspicion) string { return "prompt count not used" },
	metrics.SuspectPromptCut:     func(*metrics.Suspicion) string { return "the server cut the prompt" },
	metrics.SuspectHidden:        func(*metrics.Suspicion) string { return "hidden reasoning left out" },
	metrics.SuspectCompressed:    func(*metrics.Suspicion) string { return "compressed, so maybe held" },
	metrics.SuspectTruncated:     func(*metrics.Suspicion) string { return "ended without [DONE]" },
	metrics.SuspectLate: func(s *metrics.Suspicion) string {
		return "tokscope lagged " + Ms(s.Delay.P99)
	},
	metrics.SuspectStopped: func(s *metrics.Suspicion) string { return "suspended for " + Ms(s.Ms) },
	metrics.SuspectMixed:   func(*metrics.Suspicion) string { return "stamps of two kinds" },
	metrics.SuspectBody:    func(*metrics.Suspicion) string { return "stamps above HTTP/2: late" },
	metrics.SuspectClock:   func(s *metrics.Suspicion) string { return "wall clock moved " + Ms(s.Ms) },
	metrics.SuspectServer:  func(*metrics.Suspicion) string { return "server reports a longer wait" },
	metrics.SuspectCached:  func(*metrics.Suspicion) string { return "prompt partly from a cache" },
	metrics.SuspectChoices: func(s *metrics.Suspicion) string { return fmt.Sprintf("one of %d choices shown", s.N) },
	metrics.SuspectOrder:   func(*metrics.Suspicion) string { return "stamps out of order" },
}

// BriefMost is the largest width of a doubt in a few words.
const BriefMost = 30

// SuspicionBrief is Suspicion in a few words. An unknown code is written as it
// is.
func SuspicionBrief(s *metrics.Suspicion) string {
	write := briefs[s.Code]
	if write == nil {
		return string(s.Code)
	}
	return write(s)
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
