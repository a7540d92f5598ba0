package say

import (
	"cmp"
	"math"
	"strings"
	"time"

	"tokscope/metrics"
	compared "tokscope/metrics/comparison"
	"tokscope/metrics/history"
	"tokscope/metrics/watchstat"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// HistoryReference says what a series is compared with.
type HistoryReference uint8

const (
	// Unreferenced: nothing to compare with.
	Unreferenced HistoryReference = iota
	// AgainstBaseline: the range that a person has named.
	AgainstBaseline
	// AgainstBefore: the requests before a change point.
	AgainstBefore
)

// HistoryFinding is what is known of one series of a history.
type HistoryFinding struct {
	// Label names the series: endpoint, and model where that is needed. It is
	// harmless text.
	Label string
	// Now is the moment of the look. Shown is how far back the chart goes, 0 for
	// all, and Usual the figures of that time. From is its begin where it fits what was
	// measured, else zero, and To then its end, zero for now.
	Now    time.Time
	Shown  time.Duration
	From   time.Time
	To     time.Time
	Usual  [history.NumFigures]history.Quantiles
	N      int // requests in that time
	Failed int // of them
	// Lately says how the newest requests are to those before them, nil where nothing is
	// known of them.
	Lately *watchstat.View
	// Reference says what Result compares the requests since Since with.
	Reference HistoryReference
	Since     time.Time
	Result    *compared.Result // nil when Reference is Unreferenced
	// Steady and Changed count the other series of that time: without and with a
	// recent change.
	Steady, Changed int
}

// historyOrder is the order in which figures matter to a person.
var historyOrder = []history.Figure{history.TTFT, history.TPOT,
	history.Speed, history.Total, history.Longest, history.Throughput}

// HistorySentence writes what changed, by how much, since when and where, then what did
// not. Without a change it writes what is usual. The most important sentence comes first.
func HistorySentence(f *HistoryFinding) Sentence {
	s := historyChanged(f)
	switch {
	case f.Lately != nil && (f.Lately.State == watchstat.Suspected || s == nil && historyAside(f.Lately)):
		s = Sentence{{Text: f.Label + ": " + watchFound(f.Lately, f.Now, "requests") + "."}}
	case s != nil:
		s = s.further(historyUnchanged(f)).further(historyAlso(f))
	case f.Reference != Unreferenced && f.Result != nil:
		s = historySame(f)
	default:
		s = historyUsual(f)
	}
	s = s.further(historyOthers(f))
	if failed := historyFailed(f); failed != "" && s[0].Text != f.Label+": "+failed {
		if f.Failed == f.N { // nothing else is known
			return Sentence{{Text: f.Label + ": " + failed}}.further(historyOthers(f))
		}
		s[0].Text = capital(strings.TrimLeft(strings.TrimPrefix(s[0].Text, f.Label), ": "))
		return Sentence{{Text: f.Label + ": " + failed + " "}}.then("", s)
	}
	return s
}

// HistoryLately says how the newest requests of a series are at a moment, "" where too
// little is known: "as usual", "2 of the last 25 requests failed: HTTP 500".
func HistoryLately(v *watchstat.View, now time.Time) string {
	found := ""
	if v.State == watchstat.Usual || v.State == watchstat.Suspected || historyAside(v) {
		found = watchFound(v, now, "requests")
	}
	return format.Join("; ", watchFailed(&v.Recent, "requests"), found)
}

// historyAside reports that the newest requests have changed in what has no change points.
func historyAside(v *watchstat.View) bool { return v.State == watchstat.Changed && !v.Charted() }

// historyFailed writes the failures, which come first: more than before, or those of the
// newest requests.
func historyFailed(f *HistoryFinding) string {
	switch {
	case f.Reference != Unreferenced && f.Result != nil && f.Result.Failures.Different():
		since := format.If(historyMain(f.Result) == nil, "since "+HistoryMoment(f.Since, f.Now)+" UTC ")
		x := &f.Result.Failures // the present share first
		return since + FailedOf(x.FailedB, x.NB) + " failed, " + FailedOf(x.FailedA, x.NA) + " before."
	case f.Lately != nil && f.Lately.Recent.Failed > 0:
		return watchFailed(&f.Lately.Recent, "requests") + "."
	}
	return ""
}

// historyMain is the row that matters most among those that differ, nil
// without one.
func historyMain(r *compared.Result) *compared.Row {
	for _, g := range historyOrder {
		if row := r.Row(g); row != nil && row.Different() {
			return row
		}
	}
	return nil
}

// historyChanged writes the most important change, nil without one.
func historyChanged(f *HistoryFinding) Sentence {
	if f.Result == nil {
		return nil
	}
	row := historyMain(f.Result)
	if row == nil {
		if f.Result.Failures.Different() {
			return Sentence{{Text: f.Label + ": " + historyFailed(f)}}
		}
		return nil
	}
	than := format.Either(f.Reference == AgainstBaseline, " its baseline since ", " what it was before ")
	text := f.Label + ": " + row.Figure.Label() + " is " + rowMoved(row, "") + than
	return Sentence{{Text: text + HistoryMoment(f.Since, f.Now) + " UTC"},
		{Text: historyPhase(f.Result, row), Rank: 1}, {Text: "."}}
}

// historyPhase names the phase that explains a change of TTFT, or says why none
// is named.
func historyPhase(r *compared.Result, row *compared.Row) string {
	if row.Figure != history.TTFT {
		return ""
	}
	if cause := ttftCause(r, row); cause != "" {
		return cause
	}
	known, server := false, false
	for i := range r.Rows {
		if part := &r.Rows[i]; !math.IsNaN(part.Explains) {
			known = true
			server = server || part.Figure == history.Prefill || part.Figure == history.Queue
		}
	}
	switch {
	case known && server:
		return ", no phase explains it alone"
	case known:
		return ", not in connecting; server reports no timings"
	}
	return "; server reports no timings"
}

// Shares of a change of TTFT from which a part of the wait is most of it, and
// all of it, and above which it explains nothing: another part changed the other
// way.
const causeMost, causeAll, causeTooMuch = 0.6, 0.9, 1.1

// ttftCause names the part of the wait that explains the change of TTFT in row:
// ", all of it prefill". It must differ by more than chance itself. "" is none.
func ttftCause(r *compared.Result, row *compared.Row) string {
	text, most := "", 0.0
	if row.Figure != history.TTFT {
		return text
	}
	for i := range r.Rows {
		part := &r.Rows[i]
		share := part.Explains / (row.B - row.A) // NaN where it is no part
		if !part.Different() || !(share >= causeMost && share <= causeTooMuch && share > most) {
			continue
		}
		most = share
		text = format.Either(share >= causeAll, ", all of it ", ", most of it ") + HistoryPhase(part.Figure)
	}
	return text
}

// historyPhases are the parts of the wait that a sentence does not call by their label.
var historyPhases = map[history.Figure]string{
	history.DNS: "the name lookup", history.TCP: "the TCP connect", history.TLS: "the TLS handshake",
	history.Upload: "sending", history.Queue: "queueing at the server",
}

// HistoryPhase is the name of a part of the wait within a sentence.
func HistoryPhase(f history.Figure) string { return cmp.Or(historyPhases[f], f.Label()) }

// historyAlso writes the other changes.
func historyAlso(f *HistoryFinding) string {
	main, row := historyMain(f.Result), f.Result.Row(history.TPOT)
	if main == nil || main.Figure != history.TTFT || row == nil || !row.Different() {
		return ""
	}
	return "TPOT is " + rowMoved(row, "") + "."
}

// historyBand is the largest change that the interval of an unchanged figure
// may hold.
const historyBand = 0.15

// historyUnchanged writes what is known to be as it was. A figure whose interval
// is wide is not known to be.
func historyUnchanged(f *HistoryFinding) string {
	var names []string
	for _, x := range [...]struct {
		name string
		of   history.Figure
	}{{"connect", history.TCP}, {"TTFT", history.TTFT}, {"decode", history.TPOT}} {
		if row := f.Result.Row(x.of); row != nil && row.State == compared.Noise && HistoryWithin(row) <= historyBand {
			names = append(names, x.name)
		}
	}
	return format.If(len(names) > 0, capital(format.List(names, "and"))+" unchanged.")
}

// HistoryWithin is the largest relative change that a row's interval holds; +Inf
// where it is not bounded, or where a value is 0.
func HistoryWithin(row *compared.Row) float64 {
	return max(row.High-1, 1-row.Low)
}

// rowMoved writes by how much a row that differs changed, with its interval: "2.1x
// (1.9–2.3)"; where a value is 0 "1.00 ms above (0.00–1.00 ms)", and where more are on one
// side, but most on both, "more often above". of is what stands before the interval.
func rowMoved(row *compared.Row, of string) string {
	by, interval := CompareRatio(row)
	if row.Zero {
		by = format.Either(row.Shift != 0, format.Figure(row.Figure, math.Abs(row.Shift)), "more often") +
			format.Either(row.State == compared.Lower, " below", " above")
	}
	return by + of + " (" + interval + ")"
}

// CompareRatio writes the ratio of a row and its interval, or the difference where
// it has no ratio: "+1.00 ms", "0.00–1.00 ms"; "–" where it has none.
func CompareRatio(r *compared.Row) (ratio, interval string) {
	switch {
	case !r.Both():
		return format.Unknown, format.Unknown
	case r.Zero:
		write := func(v float64) string { return format.Figure(r.Figure, v) }
		bounded := !math.IsInf(historyOff(r), 1)
		return format.If(r.Shift > 0, "+") + write(r.Shift),
			format.Either(bounded, format.Range(r.ShiftLow, r.ShiftHigh, write), format.Unknown)
	}
	return format.Times(r.Ratio, r.Low, r.High), cmp.Or(format.TimesInterval(r.Ratio, r.Low, r.High), format.Unknown)
}

// CompareUnchanged writes how large an unseen change of a row could be: "unchanged
// within 3 %", "unchanged within 1.00 ms".
func CompareUnchanged(r *compared.Row) string {
	if r.Zero && !math.IsInf(historyOff(r), 1) {
		return "unchanged within " + format.Figure(r.Figure, historyOff(r))
	}
	return unchanged(HistoryWithin(r))
}

// unchanged is CompareUnchanged of a relative change.
func unchanged(within float64) string {
	if !(within < 1) {
		return "cannot be told apart"
	}
	return "unchanged within " + format.Percent(max(within, 0.01))
}

// historyOff is the largest difference, by its amount, that a row's interval holds.
func historyOff(row *compared.Row) float64 {
	return max(math.Abs(row.ShiftLow), math.Abs(row.ShiftHigh))
}

// historySame writes that nothing differs from the reference, or that too little
// is known.
func historySame(f *HistoryFinding) Sentence {
	reference := format.Either(f.Reference == AgainstBefore,
		"before "+HistoryMoment(f.Since, f.Now)+" UTC", "its baseline")
	var parts []string
	few := true
	for _, g := range [...]history.Figure{history.TTFT, history.TPOT} {
		row := f.Result.Row(g)
		if row == nil || row.NB == 0 {
			continue
		}
		text := g.Label() + " " + format.Figure(g, row.B)
		if row.State == compared.Noise {
			few = false
			text += " (" + HistoryChange(row) + ")"
		}
		parts = append(parts, text)
	}
	switch {
	case len(parts) == 0:
		return Sentence{{Text: f.Label + ": no request ended well since " + HistoryMoment(f.Since, f.Now) + " UTC."}}
	case few:
		return listed(f.Label+": too few requests to compare with "+reference+": ", parts, ".")
	}
	return listed(f.Label+" as "+reference+": ", parts, ".")
}

// historyVague is the width from which an interval says nothing.
const historyVague = 0.5

// HistoryChange writes what a row says of its figure: a ratio with its interval,
// or that no change is seen and how large one could be.
func HistoryChange(row *compared.Row) string {
	switch {
	case row.NA == 0 || row.NB == 0:
		return format.Unknown
	case row.State == compared.TooFew:
		return "too few, needs " + format.Count(row.Needs)
	case row.Different():
		ratio, interval := CompareRatio(row)
		return ratio + "  " + interval
	case !row.Zero && !(HistoryWithin(row) <= historyVague):
		return "cannot tell  " + format.TimesInterval(row.Ratio, row.Low, row.High)
	}
	return CompareUnchanged(row)
}

// historyUsual writes the figures of the time shown.
func historyUsual(f *HistoryFinding) Sentence {
	var parts []string
	for _, g := range [...]history.Figure{history.TTFT, history.TPOT, history.Throughput} {
		q := &f.Usual[g]
		if q.N == 0 {
			continue
		}
		parts = append(parts, g.Label()+" "+format.Figure(g, q.P50)+
			format.If(g == history.TTFT && q.N >= 8, " (middle 50 % "+HistoryHalf(g, q)+")"))
	}
	if f.Failed > 0 || f.N >= 8 {
		parts = append(parts, FailedOf(f.Failed, f.N)+" failed")
	}
	if len(parts) == 0 {
		return Sentence{{Text: f.Label + ": nothing measured" + HistoryShown(f) + "."}}
	}
	usual := format.If(f.Lately != nil && f.Lately.State == watchstat.Usual, " as usual")
	s := listed(f.Label+usual+HistoryShown(f)+": ", parts, ".")
	if f.N == 0 || f.N >= metrics.MinUsual {
		return s
	}
	return s.further(format.Plural(f.N, "run", "runs") + ": " + format.Count(metrics.MinUsual) +
		" are needed to say what is usual.")
}

// HistoryHalf writes the middle half of a figure: "251–290 ms".
func HistoryHalf(g history.Figure, q *history.Quantiles) string {
	return format.Range(q.P25, q.P75, func(v float64) string { return format.Figure(g, v) })
}

// HistoryShown names the time shown, in a sentence: " in 24 h", " since 14:19 UTC", " from
// 14:05 to 14:07 UTC"; "" for all.
func HistoryShown(f *HistoryFinding) string {
	switch {
	case !f.From.IsZero():
		return " " + HistorySpan(f) + " UTC"
	case f.Shown > 0:
		return " in " + HistorySpan(f)
	}
	return ""
}

// HistorySpan writes the time of the chart: "24 h", "7 d", "since 14:19"; "all" without a
// bound.
func HistorySpan(f *HistoryFinding) string {
	switch d := f.Shown; {
	case !f.From.IsZero() && f.To.IsZero():
		return "since " + HistoryMoment(f.From, f.Now)
	case !f.From.IsZero():
		return "from " + HistoryMoment(f.From, f.Now) + " to " + HistoryMoment(f.To, f.Now)
	case d == 0:
		return "all"
	case d > 24*time.Hour:
		return format.Count(int(d/(24*time.Hour))) + " d"
	default:
		return format.Limit(float64(d) / 1e6)
	}
}

// historyOthers counts the other series.
func historyOthers(f *HistoryFinding) string {
	steady := format.Either(f.Changed > 0, format.Count(f.Steady), format.Plural(f.Steady, "other", "others"))
	text := format.Join(", ", format.If(f.Changed > 0, format.Plural(f.Changed, "other", "others")+" changed"),
		format.If(f.Steady > 0, steady+" as usual"))
	return text + format.If(text != "", ".")
}

// HistoryEnded writes how a request ended that did not end well, in a few words, and
// Unended of one that did.
func HistoryEnded(e *history.Entry) string {
	return format.Either(e.State != metrics.Done, ended(e.State, e.Fault, e.Status), Unended(e.Unended))
}

// RunEnded writes how a request of the session ended: "stop", "server error".
func RunEnded(s *metrics.Stream) string {
	fault := metrics.Fault{}
	if s.Fault != nil {
		fault = *s.Fault
	}
	return format.Either(s.State == metrics.Done, FinishReason(s.Finish), ended(s.State, fault.Kind, fault.Status))
}

// ended writes how a request ended, by its state, its fault and the status of the
// answer, 0 for none. The status itself stands beside it. It is the cell of a list, so
// that it has no article and is short.
func ended(state metrics.State, fault metrics.FaultKind, status int) string {
	words := strings.TrimPrefix(faults[fault], "the ")
	switch {
	case fault == metrics.FaultTruncated:
		words = Outcome(metrics.Truncated)
	case fault == metrics.FaultCancelled || state == metrics.Cancelled:
		words = Outcome(metrics.Cancelled)
	case fault == metrics.FaultInStream:
		words = "error in stream"
	case fault == metrics.FaultHTTP && status == 529:
		words = "overloaded"
	case fault == metrics.FaultHTTP && status == 404:
		words = "not found"
	case fault == metrics.FaultHTTP && status >= 400 && status < 500:
		words = "refused"
	case fault == metrics.FaultHTTP:
		words = "server error"
	case words == "":
		words = Outcome(state)
	}
	return words
}

// HistoryMoment writes a moment in UTC as it is seen from now: "08:07:31" within 10 min,
// "08:07" within 24 h, "15 Nov 08:07" within 300 days, else "15 Nov 2025".
func HistoryMoment(t, now time.Time) string {
	layout := "15:04"
	switch d := now.Sub(t); {
	case d.Abs() >= 300*24*time.Hour:
		layout = "2 Jan 2006"
	case d.Abs() >= 24*time.Hour:
		layout = "2 Jan 15:04"
	case d.Abs() < 10*time.Minute:
		layout = "15:04:05"
	}
	return t.UTC().Format(layout)
}

// HistoryRange writes a range of time in UTC: "22 Nov 14:20 to 23 Nov 14:20 UTC".
func HistoryRange(from, to time.Time) string {
	const layout = "2 Jan 15:04"
	return from.UTC().Format(layout) + " to " + to.UTC().Format(layout) + " UTC"
}

// HistoryBaseline writes a baseline: its name, its runs, their time and medians.
func HistoryBaseline(b *history.Baseline) string {
	text := sanitize.Line(b.Name, 60) + ": " + format.Plural(b.N, "run", "runs") + ", " +
		HistoryRange(b.From, b.To)
	for _, f := range [...]history.Figure{history.TTFT, history.TPOT} {
		if q := &b.Figures[f]; q.N > 0 {
			text += ", " + f.Label() + " " + format.Figure(f, q.P50)
		}
	}
	return text
}

// HistoryFilterHelp are the terms of a filter, for a command's help.
const HistoryFilterHelp = `  groq "long answer"             words of endpoint, model, workload or address
  endpoint: model: workload: machine: url: protocol: proxy: prompt:   a part of a name
  kind: state: fault: status: group: version: connection: suspect:    one of several, with commas
  ttft>500 tpot<=20ms speed>=50 stalls>0 users=1                      a figure in ms or tok/s, a count
  since:24h until:2026-11-20     a time before now, or a moment
  sort:-ttft                     the order of the runs
  !state:done                    the opposite of a term`

// HistorySeries names a series in words: endpoint, model, workload, and what else
// sets it apart.
func HistorySeries(s *history.Series) []string {
	users := format.If(s.Users > 1, format.Count(s.Users)+" users")
	return format.Written(s.Endpoint, s.Model,
		s.Workload+format.If(s.Prompt != "", " "+s.Prompt[:min(len(s.Prompt), 6)]),
		s.Settings, format.Either(s.Rate > 0, format.Exact(s.Rate)+" req/s", users),
		format.If(s.InputTokens > 0, format.Count(s.InputTokens)+" tokens in"),
		format.If(s.MaxTokens > 0, "at most "+format.Count(s.MaxTokens)+" out"),
		format.If(s.Cold, "cold"),
		format.If(s.Proto != "HTTP/1.1", s.Proto),
		format.If(s.Proxy != "", "by proxy "+s.Proxy),
		format.If(s.Tier != "", "tier "+s.Tier),
		format.If(s.Lane != "", "lane "+s.Lane))
}

// HistorySince writes a change point: "2.1x since 2026-11-23 14:02 (1.9–2.3)".
func HistorySince(c *history.Change) string {
	times := format.Times(c.Ratio, c.Low, c.High) + " since " + HistoryDay(c.At)
	return format.Beside(times, format.TimesInterval(c.Ratio, c.Low, c.High))
}

// HistoryDay writes a moment in UTC to the minute: "2026-11-23 14:02".
func HistoryDay(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

// FailedOf writes failures: "3 of 70".
func FailedOf(failed, n int) string { return format.Count(failed) + " of " + format.Count(n) }

// HistoryDoubts writes what the history could not read or has no longer; nothing
// where all is well.
func HistoryDoubts(v *history.View) (lines []string) {
	return format.Written(
		format.If(v.Damaged > 0, format.Plural(v.Damaged, "damaged line was", "damaged lines were")+
			" skipped: a tokscope was killed while it wrote, or the disk was full."),
		format.If(v.Newer > 0, format.Plural(v.Newer, "line is", "lines are")+
			" in the format of a later tokscope, and skipped: use that one to see all."),
		format.If(v.LeftOut > 0, format.Plural(v.LeftOut, "older run is", "older runs are")+" no longer kept."))
}

// HistoryImported says what came out of a file.
func HistoryImported(in history.Imported) string {
	known := in.Entries - in.New
	return format.Join(", ", format.Count(in.New)+" of "+format.Plural(in.Entries, "run", "runs")+" added",
		format.If(known > 0, format.Count(known)+" known before"),
		format.If(in.Damaged > 0, format.Plural(in.Damaged, "entry", "entries")+" not readable"),
		format.If(in.Running > 0, format.Plural(in.Running, "request", "requests")+" had not ended"))
}
