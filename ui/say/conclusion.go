package say

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/slo"
	"tokscope/metrics/verdict"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// ShortConclusion is the width of a conclusion on a terminal of 80 columns, with a
// blank at both ends.
const ShortConclusion = 78

// Conclusion writes findings as sentences, in their order: "First token after
// 276 ms, 262 ms of it prefill. Then 113 tok/s, 21× reading." It is "" without
// findings.
func Conclusion(found []verdict.Finding) string {
	return conclude(found).String()
}

// ConclusionFit writes as much of findings as fits into w columns: first the details
// go, of the last finding first, then whole findings. said are the codes of those in
// it.
func ConclusionFit(found []verdict.Finding, w int) (text string, said []verdict.Code) {
	whole := conclude(found)
	for _, c := range whole.within(w) {
		if c.code != "" && c.Text != "" {
			said = append(said, c.code)
		}
	}
	return whole.Fit(w), said
}

// detail is the rank of a detail, more than those of whole findings: it goes before
// them. A clause of rank 1 goes right before its finding.
const detail = 1000

// conclude writes findings as clauses. A finding has its code at its first one; a
// lag has none, for what it does to the figures stands beside them.
func conclude(found []verdict.Finding) (s Sentence) {
	paused, pause, last := false, "before the pause ", verdict.Code("")
	for i := range found {
		f := &found[i]
		clauses := findingWords(f)
		if len(clauses) == 0 {
			continue
		}
		if f.Code == verdict.SomeFailed && i > 0 && likewise(&found[i-1], f) {
			clauses = clauses[:1]
		}
		first := &clauses[0]
		switch paused = paused || f.Code == verdict.Silent; {
		case f.Code == verdict.Silent && f.Name != "":
			pause = "before the tool "
			first.Text = begin(s, first.Text)
		case f.Code == verdict.Speed && paused:
			first.Text = begin(s, pause+first.Text)
		case f.Code == verdict.Stalls && paused: // the one under way is none of them
			first.Text = begin(s, "before it "+first.Text)
		case f.Code == verdict.Speed && last == verdict.FirstToken:
			first.Text, first.Brief = ". Then "+first.Text, "; "+first.Text
		default:
			first.Text = begin(s, first.Text)
			if first.Brief != "" {
				first.Brief = begin(s, first.Brief)
			}
		}
		if f.Code != verdict.Code(metrics.SuspectLate) {
			first.code = f.Code
		}
		s, last = append(s, clauses.after(2*i)...), f.Code
	}
	if len(s) > 0 {
		s = append(s, Clause{Text: "."})
	}
	return s
}

// begin begins a sentence behind s.
func begin(s Sentence, text string) string {
	return format.If(len(s) > 0, ". ") + capital(text)
}

// Doubt writes a doubt about several requests, with the number of those that have it.
func Doubt(f *verdict.Finding) string { return findingWords(f).String() }

// findingWords writes a finding, without a period at its end; nil for an unknown
// code. One that only some of several requests have says how many.
func findingWords(f *verdict.Finding) Sentence {
	s, of := findingOfOne(f), someOf(f)
	switch {
	case of == "" || len(s) == 0 || f.Code == verdict.OtherModel:
		return s
	case f.Code == verdict.Code(metrics.SuspectCached):
		return Sentence{{Text: of + " prompts came from a cache"}, details(": their TTFT is not that of a new prompt")}
	}
	s[0].Text = "in " + of + " requests, " + s[0].Text
	if s[0].Brief != "" {
		s[0].Brief = of + ": " + s[0].Brief
	}
	return s
}

// someOf is how many of several requests have a finding, "" where all do.
func someOf(f *verdict.Finding) string {
	return format.If(f.Having != f.Among, format.Count(f.Having)+" of "+format.Count(f.Among))
}

// findingOfOne writes a finding as that of one request.
func findingOfOne(f *verdict.Finding) Sentence {
	switch {
	case f.Suspect == nil:
	case f.Suspect.Code == metrics.SuspectLate:
		return Sentence{{Text: SuspicionBrief(f.Suspect)}}
	default:
		return suspicion(f.Suspect)
	}
	switch f.Code {
	case verdict.Failed:
		return failed(f)
	case verdict.Truncated:
		return truncated(f)
	case verdict.Stopped:
		return stopped(f)
	case verdict.SomeFailed:
		return someFailed(f)
	case verdict.SomeStopped:
		was := format.Either(f.N == 1, " was stopped", " were stopped")
		return Sentence{{Text: format.Count(f.N) + " of " + format.Plural(f.Of, "request", "requests") + was}}
	case verdict.Unseen:
		return unseen(f)
	case verdict.Finish:
		return finish(f)
	case verdict.Refused:
		return Sentence{{Text: refused}, details(format.If(f.Among == 0, ", in "+amount(f)))}
	case verdict.Asking:
		return Sentence{{Text: "asking the server for its models for " + clock(f.Ms)}}
	case verdict.Connecting:
		what := cmp.Or(connecting[f.Part], "waiting for a connection")
		return Sentence{{Text: what + " for " + clock(f.Ms)}}
	case verdict.Waiting:
		return waiting(f)
	case verdict.Silent:
		if f.Name != "" {
			return Sentence{{Text: tool(f) + " has run for " + clock(f.Ms)}}
		}
		return append(Sentence{{Text: "nothing for " + clock(f.Ms) + " after chunk " + format.Count(f.N)}},
			silenceCause(f)...)
	case verdict.Connect:
		return Sentence{{Text: format.Ms(f.Ms) + " before the request was sent"},
			details(", " + format.Ms(f.PartMs) + " of it " + partNames[f.Part])}
	case verdict.Retried:
		return Sentence{{Text: "the request was sent again"}, details(": the kept connection had ended")}
	case verdict.FirstToken:
		return firstToken(f)
	case verdict.Speed:
		return speed(f)
	case verdict.Audio:
		return Sentence{{Text: "first audio after " + format.Ms(f.Ms)}, details(bytes(f.N, ", "))}
	case verdict.Images:
		return Sentence{{Text: format.Plural(f.N, "image", "images")}, details(bytes(f.Of, " of "))}
	case verdict.Stalls:
		return stalls(f)
	case verdict.Tools:
		ran := " ran for " + format.Ms(f.Ms)
		if f.N > 1 {
			return Sentence{{Text: format.Count(f.N) + " tools of the server" + ran},
				details(", the longest " + format.Name(f.Name, nameMost))}
		}
		return Sentence{{Text: tool(f) + ran}}
	case verdict.Earlier:
		return runsBefore(f, format.Either(f.Above && f.Running, "this wait", "TTFT"), format.Ms)
	case verdict.Pinned:
		return pinned(f)
	case verdict.CacheLost:
		return Sentence{{Text: "the cache is gone: " + format.Count(f.N) + " tokens read again"}}
	case verdict.EarlierTPS:
		return runsBefore(f, "speed", format.Rate)
	case verdict.Lens:
		return lens(f)
	case verdict.OtherModel:
		of := someOf(f)
		return Sentence{{Text: "another model answered" + format.If(of != "", " "+of+" requests") + ": " +
			format.Name(f.Name, nameMost) + format.If(f.Mixed, " and others")}}
	case verdict.OtherTier:
		return Sentence{{Text: "tier " + sanitize.Line(f.Name, nameMost) + ", asked " + sanitize.Line(f.Part, nameMost)}}
	case verdict.Attempts:
		return Sentence{{Text: attempts(f.N, f.Of) + " behind the gateway"}, details(": part of the wait")}
	case verdict.SplitTTFT:
		return split(f.Split)
	case verdict.SharedReads:
		return Sentence{{Text: format.Count(f.N) + " of " + format.Count(f.Of) + " gaps are unknown"},
			details(": their chunks shared a read")}
	case verdict.Estimated:
		return Sentence{{Text: "tokens are estimated from the text"}}
	}
	return nil
}

// details is a clause that goes first where room is short.
func details(text string) Clause { return Clause{Text: text, Rank: detail} }

// undecided ends a clause about a time whose cause stamps at the receiver
// cannot tell.
const undecided = ": server, proxy or network"

// nameMost is the longest name from outside in a conclusion.
const nameMost = 30

// tool names a tool that the server runs itself.
func tool(f *verdict.Finding) string { return "the server's tool " + sanitize.Line(f.Name, nameMost) }

// bytes writes a size behind its joint, "" for none.
func bytes(n int, joint string) string { return format.If(n > 0, joint+format.Amount(float64(n), "B")) }

// Unread says that n events brought nothing that is shown.
func Unread(n int) string {
	return format.Either(n == 1, "one event, without text, reasoning or a call",
		format.Count(n)+" events, none with text, reasoning or a call")
}

// clock writes a running time, which moves in steps that can be read.
func clock(ms float64) string {
	b, unit := format.AppendStopwatch(nil, ms)
	return string(b) + " " + unit
}

// faults say what ended a request, in a few words.
var faults = map[metrics.FaultKind]string{
	metrics.FaultConfig:     "the configuration does not allow it",
	metrics.FaultDNS:        "the host name was not found",
	metrics.FaultConnect:    "no connection",
	metrics.FaultTLS:        "the TLS handshake failed",
	metrics.FaultTimeout:    "timed out",
	metrics.FaultHTTP:       "the server returned an error",
	metrics.FaultAuth:       "not authorized",
	metrics.FaultRateLimit:  "rate limited",
	metrics.FaultRedirect:   "it was redirected",
	metrics.FaultNotStream:  "the answer is not a stream",
	metrics.FaultInStream:   "an error in the stream",
	metrics.FaultProtocol:   "the response is malformed",
	metrics.FaultTooLarge:   "the response is too large",
	metrics.FaultReset:      "the connection broke",
	metrics.FaultTruncated:  "the stream was truncated",
	metrics.FaultEmpty:      "the answer is empty",
	metrics.FaultCompressed: "the response is compressed",
	metrics.FaultCancelled:  "stopped",
	metrics.FaultLocal:      "this machine was at a limit",
	metrics.FaultInternal:   "an internal error of tokscope",
	metrics.FaultForeign:    "an error that its file names",
}

// faultWords is what ended a request, with its status and its bound.
func faultWords(f *metrics.Fault) string {
	words := cmp.Or(faults[f.Kind], sanitize.Line(string(f.Kind), nameMost))
	switch {
	case f.Kind == metrics.FaultHTTP && f.Status >= 520 && f.Status <= 530 && f.Status != 529:
		words = "Cloudflare got no answer from the server"
	case f.Kind == metrics.FaultHTTP && f.Status == 529:
		words = "the server is overloaded"
	case f.Kind == metrics.FaultHTTP && f.Status >= 500:
		words = "the server failed"
	case f.Kind == metrics.FaultHTTP && f.Status >= 400:
		words = "the server refused it"
	}
	if f.Kind == metrics.FaultInStream && f.Code != "" && f.Code != fmt.Sprint(f.Status) {
		words += ": " + sanitize.Line(f.Code, nameMost)
	}
	if f.Status != 0 {
		words = fmt.Sprintf("HTTP %d, ", f.Status) + words
	}
	if f.Bound != "" {
		words += " (" + sanitize.Line(f.Bound, nameMost) + ")"
	}
	return words
}

func failed(f *verdict.Finding) Sentence {
	came, why := ", no token", faultWords(f.Fault)
	switch {
	case f.N > 0:
		came = ", with " + format.Plural(f.N, "chunk", "chunks")
	case f.Of > 0:
		came, why = "", Unread(f.Of)
		if kind := metrics.FinishKindOf(f.Fault.Code); kind == metrics.FinishLimit || kind == metrics.FinishFilter {
			why = strings.TrimPrefix(finishEnds[kind], ", ") + " before the first token"
		}
	case f.Part == verdict.StageSent:
		came = ", no byte"
	}
	wait := f.Fault.RetryAfter
	at := " " + format.Ms(f.Ms) + " after sent" + came
	return Sentence{{Text: "failed"}, details(format.If(f.Ms != 0, at)), {Text: ": " + why},
		details(format.If(wait > 0, "; "+Allowed(wait)))}
}

func truncated(f *verdict.Finding) Sentence {
	n := format.Plural(f.N, "chunk", "chunks")
	if f.N == 0 {
		n = format.Ms(f.Ms) + ", " + format.Either(f.Of > 0, Unread(f.Of), "no token")
	}
	return Sentence{{Text: "truncated after " + n}, details(": no finish reason")}
}

func stopped(f *verdict.Finding) Sentence {
	if f.Ms == 0 {
		return Sentence{{Text: "stopped before the request was sent"}}
	}
	n := format.Either(f.N == 0, ", no token", " and "+format.Plural(f.N, "chunk", "chunks"))
	if f.PartMs > 0 {
		n = ": nothing for " + format.Ms(f.PartMs) + " after chunk " + format.Count(f.N)
	}
	return Sentence{{Text: "stopped after " + format.Ms(f.Ms) + n}}
}

// someFailed says how many failed and how: "2 of 6 failed: 1× HTTP 500, 1× HTTP 429".
func someFailed(f *verdict.Finding) Sentence {
	why := Failures(f.Failures)
	chunks := len(f.Failures) == 1 && f.Failures[0].Status == 0 && f.Chunk > 0
	return Sentence{{Text: format.Count(f.N) + " of " + format.Count(f.Of) + " failed"},
		{Text: format.If(why != "", ": "+why), Rank: 1},
		details(format.If(chunks, " after up to "+format.Plural(f.Chunk, "chunk", "chunks")))}
}

// likewise reports whether all of several requests failed as the one before them, which
// says how.
func likewise(one, several *verdict.Finding) bool {
	own := metrics.FaultCount{Kind: metrics.FaultTruncated}
	switch {
	case one.Code == verdict.Failed && one.Fault != nil:
		own = one.Fault.Count()
	case one.Code != verdict.Truncated:
		return false
	}
	f := several.Failures
	return len(f) == 1 && f[0].Kind == own.Kind && f[0].Status == own.Status
}

// traits say what the requests of a part did, but the first and those of a model.
var traits = map[metrics.TraitCode]string{
	metrics.TraitNew: "took a new connection", metrics.TraitKept: "took a kept connection",
	metrics.TraitCached: "had a cached prompt", metrics.TraitUncached: "had no cached prompt",
}

// split says what divides TTFT in two, with both medians.
func split(s *metrics.Split) Sentence {
	all, did := format.Count(s.N+s.Others), ""
	of := format.Count(s.N) + " of " + all
	who := of + " requests"
	for _, t := range s.By {
		text := traits[t.Code]
		switch t.Code {
		case metrics.TraitFirst:
			who = "the first of " + all + " requests"
		case metrics.TraitModel:
			text = format.Either(s.N == 1, "was", "were") + " answered by " + format.Name(t.Name, nameMost)
		}
		did = format.Join(" and ", did, text)
	}
	text := who + " " + cmp.Or(did, "took "+format.Either(s.Ms > s.OthersMs, "longer", "less"))
	if len(s.By) == 1 && s.By[0].Code == metrics.TraitCached {
		text = of + " prompts came from a cache"
	}
	return Sentence{{Text: text, Brief: who}, {Text: ": TTFT " + format.Ms(s.Ms) + ", else " + format.Ms(s.OthersMs)}}
}

// connecting are the steps before a request is sent.
var connecting = map[string]string{
	metrics.ShareDNS: "looking up the host name", metrics.ShareTCP: "connecting (TCP)",
	metrics.ShareTLS: "connecting (TLS)", metrics.ShareSend: "sending the request",
}

// waiting says how far a request without a token has come.
func waiting(f *verdict.Finding) Sentence {
	at := "; no byte yet"
	switch f.Part {
	case verdict.StageByte:
		at = "; a part of the headers came after " + format.Ms(f.AtMs)
	case verdict.StageComment:
		at = "; keep-alives, no event, since " + format.Ms(f.AtMs)
	case verdict.StageHeaders:
		at = "; response headers came after " + format.Ms(f.AtMs)
	case verdict.StageEvents:
		at = "; events without text since " + format.Ms(f.AtMs)
	case verdict.StageTool:
		at = ": " + tool(f) + " has run for " + clock(f.PartMs)
	case verdict.StageQueue:
		at = ": the server reports it in its queue"
	case verdict.StagePrefill:
		at = ": the server reports that it reads the prompt"
	case verdict.StageProgress:
		at = ": the server has read " + Prefill(f.N, f.Of)
	case verdict.StageThinking:
		at = ": the model thinks, " + format.Plural(f.N, "token", "tokens") + " so far"
	}
	since := append(Sentence{{Text: "no token for " + clock(f.Ms)}}, usual(f, f.Ms, true, format.Ms)...)
	first := format.Either(f.Connect == nil, detail, 2*detail)
	since = append(since, Clause{Text: at, Rank: first},
		Clause{Text: format.If(f.Of > 0, PrefillLeft(f.PartMs)), Rank: first + 1})
	if f.Connect != nil {
		since = append(since, details("; "+connectsDuring(f)))
	}
	return since
}

// Prefill says how far a server is in its prompt: "61 % of 39,528 tokens". of is above 0.
func Prefill(read, of int) string {
	return format.Percent(float64(read)/float64(of)) + " of " + format.Count(of) + " tokens"
}

// PrefillLeft says behind Prefill how long that takes yet: ", about 4 s more"; "" for 0 ms.
func PrefillLeft(ms float64) string {
	return format.If(ms > 0, ", about "+format.Count(max(int(math.Round(ms/1000)), 1))+" s more")
}

// partNames are the parts of a wait in words.
var partNames = map[string]string{
	metrics.ShareClient: "in tokscope", metrics.ShareRetried: "an earlier sending",
	metrics.ShareDNS: "name lookup", metrics.ShareTCP: "TCP",
	metrics.ShareTLS: "TLS", metrics.ShareSend: "upload", metrics.ShareUpload: "upload",
	metrics.ShareQueue: "in the server's queue", metrics.ShareLoad: "loading the model", metrics.SharePrefill: "prefill",
	metrics.ShareProcessing: "processing by the server",
	metrics.ShareServer:     "in the server, not queue or prefill", metrics.ShareUnexplained: "network or unreported",
}

func firstToken(f *verdict.Finding) Sentence {
	at := format.Ms(f.Ms) + format.If(f.Of > 1, " (median of "+format.Count(f.Of)+")")
	out := append(Sentence{{Text: "first token after " + at, Brief: at + " to first token"}},
		usual(f, f.Ms, f.Above, format.Ms)...)
	switch {
	case f.Name != "":
		return append(out, Clause{Text: ", " + format.Ms(f.PartMs) + " of it " + tool(f), Rank: 1})
	case f.More != "":
		return append(out, details(", "+partNames[f.More]))
	case f.Part == verdict.PartHeaders:
		return append(out, details(", response headers after "+format.Ms(f.PartMs)))
	case f.Part != "":
		part := details(", " + format.Ms(f.PartMs) + " of it " + partNames[f.Part])
		if f.Grade >= verdict.Notable {
			part.Rank = 0
		}
		return append(out, part)
	case f.Grade >= verdict.Notable:
		return append(out, silenceCause(f)...)
	}
	return out
}

func speed(f *verdict.Finding) Sentence {
	stalls := format.Either(f.N == 1, " without the pause)", " without the pauses)")
	pace := ", " + format.Factor(f.Ratio) + " " + f.Name + format.If(f.Ratio < 1, ": the reader waits")
	out := append(Sentence{{Text: format.If(f.About, "about ") + format.Number(f.Rate) +
		format.Either(f.Chunks, " chunks/s", " tok/s")}}, usual(f, f.Rate, !f.Above, format.Rate)...)
	return append(out, details(format.If(f.Low > 0, " ("+format.Number(f.Low)+stalls)),
		details(format.If(f.Ratio > 0, pace)))
}

// usual says behind v how it differs from what is usual, "" where it does not: ", 1.6x
// your usual 170 ms (45 runs)". worse: a person would rather have the usual.
func usual(f *verdict.Finding, v float64, worse bool, write func(float64) string) Sentence {
	b := f.Usual
	if b == nil {
		return nil
	}
	ratio, than := v/b.Median, " "
	if ratio < 1 {
		ratio, than = 1/ratio, format.Either(worse, " slower than ", " faster than ")
	}
	times := ", " + format.Times(ratio, 0, ratio) + than
	return Sentence{{Text: times + "your usual " + write(b.Median) + " (" + format.Plural(b.N, "run", "runs") + ")",
		Brief: times + "usual"}}
}

// strays is how many times the median what is usual may be without a word of it.
const strays = 1.5

// AgainstUsual says how a request's wait and speed compare with what is usual for it on
// this machine, what is usual before they are known, and why that is not known.
func AgainstUsual(s *metrics.Stream, f *metrics.Figures) (text Sentence) {
	u, speed := verdict.UsualOf(s, f), f.Speed
	if s.State != metrics.Done || f.Estimated() {
		speed.OK = false
	}
	for _, c := range []struct {
		name  string
		v     metrics.Value
		band  *metrics.Band
		write func(float64) string
	}{{"TTFT", f.TTFT, &u.TTFT, format.Ms}, {"speed", speed, &u.Speed, format.Rate}} {
		if !c.band.Known() || s.State.Ended() && !c.v.OK {
			continue
		}
		span := c.write(c.band.Low) + " to " + c.write(c.band.High) + " in " + format.Count(c.band.N) + " runs"
		than := c.name + " " + c.write(c.v.V)
		switch {
		case !c.v.OK:
			than = "usual " + c.name + ": " + span
		case c.band.Unusual(c.v):
			worse := c.band.Above(c.v) == (c.name == "TTFT")
			than += usual(&verdict.Finding{Usual: c.band}, c.v.V, worse, c.write).String()
		case c.band.Median > 0 && max(c.v.V/c.band.Median, c.band.Median/c.v.V) > strays: // of two levels, say
			than += ", within " + span + ", but " + format.Factor(c.v.V/c.band.Median) + " their median " +
				c.write(c.band.Median)
		default:
			than += ", as usual: " + span
		}
		text = append(text, details(format.If(len(text) > 0, "; ")+than))
	}
	takes := "it takes " + format.Count(metrics.MinUsual) + " good runs"
	on := ""
	if s.Conn.Proto != "" {
		on = format.Either(s.Conn.Reused, " on a reused connection", " on a new connection")
	}
	needs := takes + " of this endpoint, model and workload" + on + ", an hour old"
	switch {
	case len(text) > 0:
		text[0].Rank = 0
		return text
	case u.Recent > 0:
		runs := format.Plural(u.Recent, "earlier run is", "earlier runs are")
		return Sentence{{Text: "usual is not known"},
			details(": " + runs + " of the last hour"), {Text: "; " + needs, Rank: 2 * detail}}
	}
	return Sentence{{Text: "usual is not known"},
		{Text: ": " + needs, Brief: ": " + takes + " an hour old", Rank: detail}}
}

// stalls says how long the longest pause was and who made it.
func stalls(f *verdict.Finding) Sentence {
	ms, lag := format.Ms(f.Ms), format.Ms(f.PartMs)
	text := "a pause of " + ms
	switch {
	case f.Of > 0:
		text = format.Plural(f.N, "pause", "pauses") + " in " + format.Count(f.Of) + " requests, the longest " + ms
	case f.N > 1:
		text = format.Count(f.N) + " pauses, the longest " + ms
	}
	until := format.If(f.Of == 0, " until chunk "+format.Count(f.Chunk)+format.If(f.AtMs > 0, " at "+format.Ms(f.AtMs)))
	at := Clause{Text: until, Rank: 2 * detail}
	proxied := f.Name != ""
	switch {
	case f.PartMs > 0:
		return Sentence{{Text: text}, at, {Text: ": server, proxy, network or tokscope, which lagged up to " + lag,
			Brief: "; tokscope lagged " + lag, Rank: 1}}
	case f.Gap == nil:
		return Sentence{{Text: text}, at, {Text: unproven(f), Rank: 1}}
	}
	if cause, _ := f.Gap.Cause(); f.N == 1 && cause == metrics.PathSentLate {
		who := format.Either(proxied, "the proxy or what is behind it", "the server or a proxy")
		return Sentence{{Text: who + " paused " + ms, Brief: farSide(proxied) + " paused " + ms}, at,
			details("; the network did not")}
	}
	return Sentence{{Text: text}, at, pauseCause(f.Gap, proxied)}
}

// runsBefore is the range of a figure over earlier runs.
func runsBefore(f *verdict.Finding, what string, write func(float64) string) Sentence {
	side := format.Either(f.Above, " is above ", " is below ")
	return Sentence{{Text: what + side}, details("the " + format.Range(f.Low, f.High, write) + " of "),
		{Text: format.Plural(f.N, "earlier run", "earlier runs")}}
}

func lens(f *verdict.Finding) Sentence {
	v := f.Verdict
	is := format.Either(v.Measured.OK, " "+LensFigure(v.Metric, v.Measured.V)+", budget ", " is above its budget of ")
	if v.Case == slo.CaseTextless {
		grade := format.Either(v.Grade == slo.GradeMisses, "misses", "barely meets")
		return Sentence{{Text: grade + " the " + f.Name + " lens"}, details(": " + VerdictShort(v))}
	}
	words := ": " + LensLabel(v.Metric) + is + LensLimit(v.Metric, v.Budget.Limit)
	switch v.Grade {
	case slo.GradeMisses:
		return Sentence{{Text: "misses the " + f.Name + " lens"}, details(words)}
	case slo.GradeClose:
		return Sentence{{Text: "barely meets the " + f.Name + " lens"}, details(words)}
	}
	return Sentence{{Text: "meets the " + f.Name + " lens"}}
}
