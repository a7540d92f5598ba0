package say

import (
	"cmp"
	"fmt"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// BriefMost is the largest width of a doubt or a note in a few words.
const BriefMost = 30

// doubts has the words of the doubts about the figures that suspicion does not write
// itself: what stands for it where room is short, in at most BriefMost columns, and a
// clause. See doubtWords for what their verbs are.
var doubts = map[metrics.SuspectCode]struct{ brief, text string }{
	metrics.SuspectTerminalBurst: {"%[1]s chunks in one read",
		"%[1]s of %[2]s chunks came in one read: gaps and speed are not the model's"},
	metrics.SuspectHeld: {"%[1]s chunks held back",
		"chunks look held back: nothing for %[5]s, then %[1]s within %[6]s"},
	metrics.SuspectHeldDecode: {"held back: decode took %[5]s",
		"the server decoded for %[5]s, and its chunks came within %[6]s: they were held back on the way"},
	metrics.SuspectSilence: {"nothing for %[5]s",
		"nothing for %[5]s before chunk %[1]s of %[2]s"},
	metrics.SuspectOneChunk: {"~%[1]s tokens in one chunk",
		"the whole answer, about %[1]s tokens, came in one chunk after %[5]s: it was not streamed"},
	metrics.SuspectMultiToken: {"%[3]s tokens a chunk",
		"a chunk carries %[3]s tokens: a gap between chunks is not a gap between tokens"},
	metrics.SuspectFirstChunk: {"%[1]s tokens in first chunk",
		"the first chunk carried %[1]s tokens: TPOT is %[4]s too small"},
	metrics.SuspectFirstMean: {"TPOT %[5]s to %[6]s",
		"TPOT is between %[5]s and %[6]s: the first chunk may carry %[3]s tokens"},
	metrics.SuspectFewTokens: {"fewer tokens than chunks",
		"%[1]s tokens counted for %[2]s chunks: the count may leave something out"},
	metrics.SuspectUsageZero: {"usage of 0 tokens: not used",
		"the server counts 0 output tokens for %[1]s chunks: not used"},
	metrics.SuspectUsageOver: {"usage too high: not used",
		"the server counts %[1]s output tokens, the stream can carry %[2]s at most: not used"},
	metrics.SuspectUsageAsked: {"usage too high: not used",
		"the server counts %[1]s output tokens, far more than its text has and than the %[2]s asked for: not used"},
	metrics.SuspectUsageUnder: {"usage too low: not used",
		"the server counts %[1]s output tokens for %[2]s words: not used"},
	metrics.SuspectUsageFell: {"usage fell: not used",
		"the server's count of output tokens fell from %[2]s to %[1]s: not used"},
	metrics.SuspectPromptOver: {"prompt count not used",
		"the server counts %[1]s prompt tokens, %[2]s bytes were sent: not used"},
	metrics.SuspectPromptCut: {"the server cut the prompt",
		"the server counts %[1]s prompt tokens of %[2]s or more: it cut the prompt, so TTFT is that of a shorter one"},
	metrics.SuspectHidden: {"hidden reasoning left out",
		"%[1]s reasoning tokens were counted and not sent: left out of TPOT and speed"},
	metrics.SuspectSummarized: {"reasoning was summarized",
		"reasoning was summarized: %[1]s counted, about %[2]s sent"},
	metrics.SuspectUnsent: {"more tokens counted than sent",
		"%[1]s tokens counted, about %[2]s sent: the rest was not sent; TPOT and speed are estimated from the text"},
	metrics.SuspectExcluded: {"reasoning added to the count",
		"the server's %[2]s output tokens leave out %[1]s of reasoning: added"},
	metrics.SuspectCompressed: {"compressed, so maybe held",
		"the response came with Content-Encoding %[7]q although none was offered: the encoder may hold chunks back"},
	metrics.SuspectTruncated: {"ended without a reason",
		"the stream ended without a finish reason after %[1]s chunks"},
	metrics.SuspectLeftOpen: {"%[7]s is missing",
		"%[7]s is missing and the connection stayed open: clients that wait for it hang"},
	metrics.SuspectCutOff: {"%[7]s is missing",
		"%[7]s is missing and the connection was cut behind the whole answer: clients that wait for it fail"},
	metrics.SuspectStopped: {"tokscope suspended %[5]s",
		"tokscope was suspended for %[5]s, or the machine was: a gap across this is not the server's"},
	metrics.SuspectMixed: {"stamps of two kinds",
		"%[1]s chunks have the kernel's stamp, %[2]s our own: gaps across the two are less exact"},
	metrics.SuspectBody: {"stamps above HTTP/2: late",
		"stamps are taken at reads of the body, above HTTP/2: later than arrival"},
	metrics.SuspectClock: {"wall clock moved %[5]s",
		"the wall clock moved by %[5]s: kernel timestamps may be off by as much"},
	metrics.SuspectServer: {"server reports a longer wait",
		"the server reports %[5]s before the first token; the client waited %[6]s"},
	metrics.SuspectCached: {"prompt partly from a cache",
		"%[1]s of %[2]s prompt tokens came from the server's cache: TTFT is not that of a new prompt"},
	metrics.SuspectChoices: {"one of %[1]s choices shown",
		"%[1]s choices at once: gaps, TPOT, speed and words are those of choice %[2]s"},
	metrics.SuspectOthers: {"chunks of another sender",
		"the first %[1]s chunks, after %[5]s, name no id and no model: another sender's, as of a proxy, and not counted"},
	metrics.SuspectOrder: {"stamps out of order",
		"%[1]s chunks have a stamp that is not after the one before: their gaps are unknown"},
}

// doubtWords writes a form of doubts: its verbs are N, Of, Ratio, Ratio as a share,
// Ms, Limit as a time, and Name.
func doubtWords(form string, s *metrics.Suspicion) string {
	if !strings.Contains(form, "%") {
		return form
	}
	return fmt.Sprintf(form, format.Count(s.N), format.Count(s.Of), format.Number(s.Ratio), format.Percent(s.Ratio),
		format.Ms(s.Ms), format.Ms(s.Limit), sanitize.Line(s.Name, nameMost))
}

// Suspicion is a doubt about the figures as a sentence with its numbers, and the
// setting to try where a proxy is known. An unknown code is written as it is.
func Suspicion(s *metrics.Suspicion) string { return suspicion(s).String() }

// SuspicionBrief is Suspicion in a few words.
func SuspicionBrief(s *metrics.Suspicion) string {
	c := suspicion(s)[0]
	return cmp.Or(c.Brief, c.Text)
}

// Unended is SuspicionBrief of metrics.Connection.Unended, "" for "".
func Unended(code metrics.SuspectCode) string {
	return SuspicionBrief(&metrics.Suspicion{Code: code, Name: "end marker"})
}

// suspicion is a doubt as its clauses.
func suspicion(s *metrics.Suspicion) Sentence {
	switch s.Code {
	case metrics.SuspectBuffered:
		text, brief := bufferWords(s)
		set := firstAdvice([]metrics.Front{metrics.Front(s.Name)}, &s.Buffering)
		return Sentence{{Text: text, Brief: brief}, {Text: format.If(set != "", "; "+set), Rank: 1}, details(firstLate(s))}
	case metrics.SuspectWithheld:
		return withheld(s)
	case metrics.SuspectLate:
		delay := s.Delay
		delay.Code = cmp.Or(delay.Code, metrics.DelayStamps)
		text, _ := Delay(&delay)
		return Sentence{{Text: text, Brief: "tokscope lagged " + format.Ms(delay.P99)}}
	}
	d := doubts[s.Code]
	text := cmp.Or(doubtWords(d.text, s), string(s.Code)) +
		format.If(s.Code == metrics.SuspectSummarized && s.Ms > 0, "; TPOT and speed are the answer's")
	return Sentence{{Text: text, Brief: doubtWords(d.brief, s)}}
}

// firstLate says by how much a buffer may have delayed the first token, "" where that is
// not known.
func firstLate(s *metrics.Suspicion) string {
	return format.If(s.Code == metrics.SuspectBuffered && s.Limit > 0, ". TTFT up to "+format.Ms(s.Limit)+" late")
}

// withheld writes that what was made during a silence came at its end. Of several such
// silences the pace is left out: it is the speed, and the sentence is long.
func withheld(s *metrics.Suspicion) Sentence {
	text, by := format.Either(s.N > 0, "about "+format.Count(s.N)+" tokens", "much")+
		" came at once after a silence of "+format.Ms(s.Ms), "on the way"
	what := "text"
	if s.Name != "" {
		text = "the arguments of " + sanitize.Line(s.Name, nameMost) + " came at once, " + format.Ms(s.Ms) + " after its name"
		what, by = "arguments", "by the server's parser"
	}
	text += format.If(s.Of > 1, ", the longest of "+format.Count(s.Of)+" such waits")
	return Sentence{{Text: text, Brief: what + " held back for " + format.Ms(s.Ms)}, details(": held back " + by),
		details(format.If(s.Ratio > 0 && s.Of <= 1, "; the pace stayed "+format.Rate(s.Ratio)))}
}

// notes are the notes on a stream in a few words, by code.
var notes = map[string]string{
	metrics.NoteOtherModel: "another model answered",
	metrics.NoteModelAlias: "the model has another name",
	"http2_not_spoken":     "no HTTP/2",
	"malformed_event":      "an event was malformed",
	"malformed_events":     "events were malformed",
	"remote_model":         "the model runs elsewhere",
	"repeated_text":        "each chunk repeats all text",
	"retried":              "the request was sent twice",
	"usage_negative":       "negative usage: not used",
}

// NoteBrief is a note in at most BriefMost columns. A code without words of its
// own is written with blanks.
func NoteBrief(n *metrics.Note) string {
	if text := notes[n.Code]; text != "" {
		return text
	}
	return strings.Map(func(r rune) rune {
		return format.Either(r == '_' || r < ' ' || r > '~', ' ', r)
	}, n.Code[:min(len(n.Code), BriefMost)])
}

// delays say how late tokscope was: in a few words, and as a sentence. Their verbs are
// the p99, the worst, the shares of the gaps that have only bounds and that are known,
// and what that does to TTFT.
var delays = map[metrics.DelayCode]struct{ brief, text string }{
	metrics.DelayReads: {"%[1]s late, gaps %[4]s known",
		"tokscope read %[1]s late (p99, worst %[2]s): %[3]s of the gaps have only bounds; TTFT %[5]s"},
	metrics.DelayStamps: {"%[1]s late, TTFT and gaps off",
		"tokscope lagged %[1]s (p99, worst %[2]s): TTFT and every gap may be late by as much"},
	metrics.DelayMixed: {"%[1]s late, some times off",
		"tokscope lagged %[1]s (p99, worst %[2]s): times without a kernel timestamp may be late by as much"},
}

// delay writes a form of delays, that of an unknown code as it is.
func delay(form string, d *metrics.Delay) string {
	if form == "" {
		return string(d.Code)
	}
	return fmt.Sprintf(form, format.Ms(d.P99), format.Ms(d.Max), format.Percent(d.Shared),
		format.Percent(1-d.Shared), format.Either(d.First, "may be shorter", "is not affected"))
}

// Delay writes how late tokscope was, and which figures that affects; next is
// what to do. Both are "" for none. An unknown code is written as it is.
func Delay(d *metrics.Delay) (text, next string) {
	form, known := delays[d.Code]
	if known {
		next = "use fewer users, end other programs, or take a machine with more cores"
	}
	return delay(form.text, d), next
}

// DelayBrief is Delay in a few words, for a line of a screen: by how much (p99)
// and what that affects. It is "" for none.
func DelayBrief(d metrics.Delay) string { return delay(delays[d.Code].brief, &d) }

// Stamps names who took the stamps, as loadstat.StampsOf says it: "timestamps: kernel".
func Stamps(source string) string {
	who := cmp.Or(stampedBy[source], source)
	return format.Either(source == "none" || source == "", "no timestamps", "timestamps: "+who)
}

// stampedBy are the sources of stamps that are not called by their name.
var stampedBy = map[string]string{
	metrics.SourceUser.String(): "tokscope", metrics.SourceMixed.String(): "kernel (some late)",
	metrics.SourceBody.String(): "above HTTP/2", metrics.SourceTool.String(): "another program",
}

// Missing writes between what the percentiles of d lie, "" where unknown gaps
// cannot visibly move them.
func Missing(d *metrics.Dist) string {
	if !d.Uncertain() {
		return ""
	}
	text := format.Percent(d.KnownShare()) + " of gaps known"
	for _, q := range [...]struct {
		name string
		v    metrics.Value
		b    metrics.Bound
	}{{"p50", d.P50, d.Missing.P50}, {"p95", d.P95, d.Missing.P95}, {"p99", d.P99, d.Missing.P99}} {
		if q.v.OK && q.b.Wide() {
			text += ", " + q.name + " within " + format.Range(q.b.Low, q.b.High, format.Ms)
		}
	}
	return text
}

// WithFailures writes the percentiles of TTFT that are known beside those in which the
// requests that failed count too, "" where none failed: "TTFT p90 1.20 s; with failures:
// > all (30 % failed)".
func WithFailures(d *metrics.Dist, w *metrics.WithFailures) string {
	if w.IsZero() {
		return ""
	}
	plain, failing := "", ""
	for _, q := range [...]struct {
		name string
		v    metrics.Value
		all  metrics.Value
	}{{"p50", d.P50, w.P50}, {"p90", d.P90, w.P90}, {"p99", d.P99, w.P99}} {
		plain = format.Join(", ", plain, format.If(q.v.OK, q.name+" "+format.Ms(q.v.V)))
		failed := q.all.Why == metrics.WhyFailed
		failing = format.Join(", ", failing, format.If(q.all.OK || failed, q.name+" "+format.Failing(q.all, format.Ms)))
		if failed { // so are those above it
			break
		}
	}
	return format.Join("; ", format.If(plain != "", "TTFT "+plain), "with failures: "+failing) +
		" (" + format.Percent(w.Share()) + " failed)"
}

// ClientLimit writes why tokscope itself limits a load, "" where it does not.
// An unknown code is written as it is.
func ClientLimit(c loadstat.ClientLimit) Sentence {
	ms := format.Ms(c.Ms)
	late := "requests leave " + ms + " late"
	slower := Clause{}
	if most := format.Percent(c.Slower) + " too low"; c.Slower > 0 {
		slower = Clause{Text: ", throughput up to " + most, Brief: ": up to " + most}
	}
	switch c.Code {
	case loadstat.LimitSchedule:
		cause := format.Either(c.Users > 0, "all "+format.Count(c.Users)+" users wait for an answer", "tokscope lags")
		return Sentence{{Text: "requests leave " + ms + " after their scheduled time (p99)", Brief: late},
			{Text: ": the schedule is not kept, because " + cause, Rank: 1}}
	case loadstat.LimitSending:
		return Sentence{{Text: "tokscope lags " + ms + " (p99): its requests leave late", Brief: late}, slower}
	case loadstat.LimitReading:
		return Sentence{{Text: "tokscope reads " + ms + " late (p99)", Brief: "reads " + ms + " late"},
			{Text: ": kernel timestamps are unaffected, its next requests are late", Rank: 1}, slower}
	}
	return Sentence{{Text: string(c.Code)}}
}

// Use writes what tokscope took of the machine, to be appended to its lag: "; used 0.31
// of 2 cores, 118 of 1,024 descriptors". What is unknown is left out; "" when
// all of it is.
func Use(u *metrics.Use) string {
	v := u.CPUUsed()
	text := format.Join(", ", format.If(v.OK, format.Number(v.V)+" of "+format.Plural(u.Cores, "core", "cores")),
		format.If(u.Descriptors > 0 && u.DescriptorLimit > 0,
			format.Count(u.Descriptors)+" of "+format.Count(u.DescriptorLimit)+" descriptors"))
	return format.If(text != "", "; used "+text)
}
