package say

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/metrics/verdict"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// Outcome is the word for how a request ended; draw.Outcome is the sign. Files have
// the name of the state instead.
func Outcome(s metrics.State) string {
	return format.Either(s == metrics.Cancelled, "stopped", s.String())
}

// Ending writes why a load or a sweep ended by itself, "" for none. An unknown
// code is written as it is.
func Ending(e metrics.Ending) string {
	switch e.Code {
	case metrics.EndingCap:
		t := &e.Tokens
		next := format.Either(t.Requests > 1, format.Count(t.Requests)+" requests", "request")
		if t.Used+t.Reserved == 0 { // nothing was sent
			return fmt.Sprintf("the cap of %s tokens is too low: the first %s alone can take %s",
				format.Whole(t.Max), next, format.Whole(t.Next))
		}
		return fmt.Sprintf(
			"the cap of %s tokens is reached: %s are used, %s reserved for what runs, and the next %s can take %s",
			format.Whole(t.Max), format.Whole(t.Used), format.Whole(t.Reserved), next, format.Whole(t.Next))
	case metrics.EndingFailures:
		kind := metrics.FaultCount{Kind: e.Kind, N: e.Most}
		return fmt.Sprintf("the load was stopped because the last %s requests all failed: %s; the last one: %s",
			format.Count(e.Requests), format.Either(e.Most == e.Requests, FaultName(e.Kind, 0), severalTimes(&kind)),
			lastFault(&e))
	case metrics.EndingClosing:
		return "stopped: the program was closing"
	case metrics.EndingInterrupted:
		return "interrupted" + format.If(e.Step != (metrics.LoadStep{}),
			"; the step of "+Step(e.Step)+" was under way and is left out")
	case metrics.EndingStepFailed:
		return "every request failed at " + Step(e.Step)
	case metrics.EndingMissed:
		return e.SLO + " is missed at " + Step(e.Step)
	case metrics.EndingError:
		return lastFault(&e)
	}
	return string(e.Code)
}

// lastFault writes the last failure, as the fault says it.
func lastFault(e *metrics.Ending) string {
	if e.Last == nil {
		return format.Unknown
	}
	return e.Last.Error()
}

// Step writes a step of a sweep: "8 users", "0.5 requests/s", "4,000 prompt
// tokens".
func Step(s metrics.LoadStep) string {
	if s.Depth > 0 {
		return format.Plural(s.Depth, "prompt token", "prompt tokens")
	}
	if s.Rate > 0 {
		return format.Either(s.Rate == 1, "1 request/s", format.Exact(s.Rate)+" requests/s")
	}
	return format.Plural(s.Users, "user", "users")
}

// Failed says how many of so many ended requests failed, and of which kinds, the most
// frequent first; nil where none failed:
//
//	8 of 17 failed: 6× HTTP 429, 2× HTTP 500
func Failed(n, of int, kinds []metrics.FaultCount) Sentence {
	if n <= 0 {
		return nil
	}
	return Sentence{{Text: format.Count(n) + " of " + format.Count(max(n, of)) + " failed"},
		{Text: format.If(len(kinds) > 0, ": "+FaultKinds(kinds)), Rank: 1}}
}

// FaultKinds writes how often requests failed in which way: by the status of HTTP, else in
// words: "6× HTTP 429, 1× timed out".
func FaultKinds(kinds []metrics.FaultCount) string {
	return strings.Join(pick.Each(kinds, severalTimes), ", ")
}

// Failures writes the same, and without a number where all failed in one way.
func Failures(all []metrics.FaultCount) string {
	if len(all) == 1 {
		return FaultName(all[0].Kind, all[0].Status)
	}
	return FaultKinds(all)
}

func severalTimes(f *metrics.FaultCount) string {
	return format.Count(f.N) + "× " + strings.TrimPrefix(FaultName(f.Kind, f.Status), "the ")
}

// FaultName names one way to fail, by its status of HTTP where there is one: "HTTP 500",
// "timed out".
func FaultName(kind metrics.FaultKind, status int) string {
	if status != 0 {
		return "HTTP " + strconv.Itoa(status)
	}
	return cmp.Or(faults[kind], sanitize.Line(string(kind), nameMost), "without a reason")
}

// FinishReason writes a finish reason in words: "content filter", "no finish reason".
// It is harmless text.
func FinishReason(sent string) string {
	reason := metrics.FinishOf(sent)
	if reason == metrics.NoFinish {
		return "no finish reason"
	}
	return strings.ReplaceAll(sanitize.Line(reason, nameMost), "_", " ")
}

// Finishes counts requests that ended well by their finish reasons, the most frequent
// first: "2 stop, 1 length, 1 no finish reason". It is "" without any.
func Finishes(counts map[string]int) string {
	parts := metrics.Frequent(counts)
	for i, reason := range parts {
		parts[i] = format.Count(counts[reason]) + " " + FinishReason(reason)
	}
	return strings.Join(parts, ", ")
}

// refused says of an answer that its text is a refusal.
const refused = "the model refused"

// amount is the size of the one answer that a finding is about.
func amount(f *verdict.Finding) string {
	return format.If(f.About, "about ") +
		format.Either(f.Chunks, format.Plural(f.N, "chunk", "chunks"), format.Plural(f.N, "token", "tokens"))
}

// finishEnds are what the kinds of finish reasons say of an answer that shows nothing.
var finishEnds = map[metrics.FinishKind]string{
	metrics.FinishLimit: ", the limit was reached", metrics.FinishFilter: ", a content filter ended it",
	metrics.FinishMissing: ", and no finish reason came: it may be cut",
}

// unseen says that an answer shows nothing, and why.
func unseen(f *verdict.Finding) Sentence {
	was := format.If(!f.About && f.N > 1, "all ") + amount(f) + format.Either(f.N == 1, " was ", " were ")
	return Sentence{{Text: "no visible answer"}, {Text: ": " + format.If(f.Among == 0, was) + "reasoning" +
		format.If(f.Mixed, " or white space") + finishEnds[metrics.FinishKindOf(f.Part)], Rank: 1}}
}

// finish says how an answer ended that the model did not end.
func finish(f *verdict.Finding) Sentence {
	kind := metrics.FinishKindOf(f.Part)
	what := format.If(kind == metrics.FinishOther, "finish reason ") + FinishReason(f.Part)
	switch kind {
	case metrics.FinishFilter:
		what = "ended by a content filter"
	case metrics.FinishPause:
		what = "paused by the server"
	}
	return Sentence{{Text: what}, details(format.If(f.Among == 0, " after "+amount(f))),
		{Text: format.If(kind == metrics.FinishMissing, ": the answer may be cut")}}
}

// arrived says what of an answer had come without a chunk.
var arrived = map[string]string{
	verdict.StageSent: "no byte", verdict.StageByte: "a part of the headers", verdict.StageHeaders: "no event",
	verdict.StageComment: "keep-alives, no event", verdict.StageEvents: "events, no token",
}

// Came says how far the answer to a request without a chunk has come: "no byte".
func Came(s *metrics.Stream) string {
	stage, _ := verdict.StageOf(s)
	return arrived[stage]
}

// Arrived says of a request that did not end well how long it ran and what had come:
// "after 8.18 s, no byte". It is "" where an answer with an error came, and for others.
func Arrived(s *metrics.Stream, f *metrics.Figures) string {
	what := Came(s)
	if n := max(f.Chunks, len(s.Chunks)); n > 0 {
		what = format.Plural(n, "chunk", "chunks") + format.If(f.Total.OK, ", the last after "+format.Ms(f.Total.V))
	}
	ran := s.Ran()
	return format.If(ran.OK, "after "+format.Ms(ran.V)+", "+what)
}

// Waited writes how long a request waited whose first token did not come: "> 8.18 s". It
// is "" where Arrived is, and where a chunk came.
func Waited(s *metrics.Stream, f *metrics.Figures) string {
	ran := s.Ran()
	return format.If(ran.OK && f.Chunks == 0, "> "+format.Ms(ran.V))
}

// RequestID names a request to who has its server's log, "" without an id. It is
// harmless text.
func RequestID(id string) string { return format.If(id != "", "request id "+sanitize.Line(id, 80)) }
