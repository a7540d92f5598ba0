package say

import (
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/verdict"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

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
