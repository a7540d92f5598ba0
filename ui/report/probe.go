package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/request"
	"tokscope/metrics/slo"
	"tokscope/metrics/verdict"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// Form is what a report on several runs holds beside the runs.
type Form struct {
	SLOs []slo.Objective
	Lens string // key of the chosen lens; "" for none
	Task slo.AgentTask
	Path string // the recording's, "" without one
	By   Origin
	// Warmup counts the requests before the measured ones; nil: there were none.
	Warmup *loadstat.Warmup
	// Asked is the number of requests asked for. Interrupted: a person ended the
	// probe before its end.
	Asked       int
	Interrupted bool
	// List prints the requests that match, in its order; nil: none.
	List *request.Filter
	// Histogram prints how TTFT and gaps are distributed, with bars of ASCII alone
	// where ASCII is set.
	Histogram, ASCII bool
}

// Probe prints the results of a probe: what they show in a sentence, target
// and workload, the figures with their n, the server's own figures, how the
// requests ended, and this program's own share.
func Probe(w io.Writer, runs []metrics.Run, form Form) error {
	b := bufio.NewWriter(w)
	if len(runs) == 0 {
		fmt.Fprintln(b, draw.Either(form.Warmup == nil, "no request was sent", "no request was measured"))
		printWarmup(b, form.Warmup)
		printInterrupted(b, "ended", 0, &form)
		return b.Flush()
	}
	s := metrics.Summarize(runs)
	for _, line := range format.Wrap(say.Conclusion(verdict.OfRuns(runs, &s, form.Lens, form.Task)), lineWidth) {
		fmt.Fprintln(b, line)
	}
	printHead(b, runs, &s, form.Warmup)
	if s.Done > 0 {
		fmt.Fprintln(b)
		figures := figureRows(&s)
		printTable(b, figures)
		printUnknown(b, figures)
		fmt.Fprintln(b)
		printContext(b, runs, &s)
	} else {
		fmt.Fprintln(b)
	}
	printEnds(b, runs, &s)
	printInterrupted(b, "", len(runs), &form)
	printWarmup(b, form.Warmup)
	printSLOs(b, runs, form.SLOs)
	printTrimmed(b, &s)
	printCost(b, runs)
	for i, text := range say.RateLimits(&s.Limits) {
		row(b, [...]string{"rate limit", ""}[i], "%s", text)
	}
	printQuality(b, &s, form.Path)
	row(b, "measured", "%s", ran(&runs[len(runs)-1].Stream, form.By))
	if form.Histogram {
		printHistograms(b, runs, &s, form.ASCII)
	}
	printList(b, runs, form.List)
	return b.Flush()
}

// Widths of the summary: of the labels, and of wrapped prose. 100 columns fit
// an issue and most terminals.
const (
	labelWidth = 12
	lineWidth  = 100
)

// row prints a label of fixed width and a text, wrapped between words. All
// lines below the table use it. Blanks before the text indent it.
func row(w io.Writer, label, text string, a ...any) {
	text = fmt.Sprintf(text, a...)
	indent := len(text) - len(strings.TrimLeft(text, " "))
	used := labelWidth + indent
	for i, part := range format.Wrap(text, lineWidth-used) {
		if i > 0 {
			label = ""
		}
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%-*s%s", used, label, part), " "))
	}
}

// printHead prints target and workload. warmup is nil without one.
func printHead(w io.Writer, runs []metrics.Run, s *metrics.Summary, warmup *loadstat.Warmup) {
	v := &runs[len(runs)-1].Stream
	parts := []string{v.Endpoint.Name}
	for _, p := range []string{v.Endpoint.Model, say.AnsweredBy(v.Endpoint.Model, v.Model),
		v.Endpoint.Note, v.Endpoint.URL, v.Conn.Proto, v.Conn.TLS} {
		if p != "" && p != parts[0] {
			parts = append(parts, p)
		}
	}
	if v.Conn.Proxy != "" {
		parts = append(parts, "via proxy "+v.Conn.Proxy)
	}
	if v.Endpoint.Badge != "" {
		parts = append(parts, v.Endpoint.Badge)
	}
	fmt.Fprintln(w, sanitize.Line(strings.Join(parts, " · "), 240))

	work := []string{v.Work.Name}
	if s.Prompt.N > 0 {
		work = append(work, format.Span(s.Prompt.Min, s.Prompt.Max, format.Whole)+" tokens in")
	}
	if s.Output.N > 0 {
		out := format.Span(s.Output.Min, s.Output.Max, format.Whole) + " out"
		if s.Estimated {
			out += " (estimated)"
		}
		work = append(work, out)
	}
	work = append(work, format.Plural(s.Requests, "request", "requests"),
		format.Count(max(v.Work.Concurrency, 1))+" at a time")
	if s.Reused+s.Fresh > 0 {
		text := format.Plural(s.Fresh, "new connection", "new connections") + ", " + format.Count(s.Reused) + " reused"
		if s.Fresh == 0 && warmup != nil {
			text += " from the warm-up"
		}
		work = append(work, text)
	}
	if s.Retried > 0 {
		work = append(work, format.Count(s.Retried)+" retried")
	}
	fmt.Fprintln(w, sanitize.Line(strings.Join(work, " · "), 240))
}

// printContext describes the figures in words.
func printContext(w io.Writer, runs []metrics.Run, s *metrics.Summary) {
	last := ofTheLast(runs)
	about := draw.Either(s.Estimated, "about ", "")
	if s.Speed.P50.OK {
		text := about + format.Rate(s.Speed.P50.V) + " per user"
		if f := lastGood(runs); f != nil && f.TimesReading.OK {
			text += ", " + reading(f) + " words per minute"
			text += last
		}
		row(w, "speed", "%s", text)
	}
	if s.Throughput.OK {
		row(w, "throughput", "%s%s, all streams over %s", about, format.Rate(s.Throughput.V), format.Ms(s.Window.V))
	} else {
		row(w, "throughput", "– (%s)", format.Why(s.Throughput.Why))
	}
	f := lastGood(runs)
	if f == nil {
		return
	}
	printStalls(w, s, f)
	if sum := say.Identity(f); sum != "" {
		row(w, "total", "%s = %s%s", format.KnownOr(f.Total, format.Ms), sum, last)
	}
	if f.Trailer.OK {
		row(w, "tail", "%s from the last chunk to the end of the body%s", format.Ms(f.Trailer.V), last)
	}
	row(w, "firsts", "%s%s", firsts(f), last)
	if f.StallCost.OK && (s.Stalls > 0 || f.LongGaps.V > 0) {
		row(w, "stall cost", "%s%s", stallCost(f), last)
	}
	if f.ReaderWait.OK && f.ReaderWait.V > 0 {
		row(w, "reader", "%s%s", reader(f), last)
	}
	if f.PrefillSpeed.OK {
		row(w, "prefill", "%s%s", prefill(f), last)
	}
	if f.ServerSpeed.OK {
		row(w, "decode", "%s by the server's own times%s", format.Rate(f.ServerSpeed.V), last)
	}
	printWait(w, f, last)
	printPath(w, runs)
	for i := range f.Suspect {
		if f.Suspect[i].Code == metrics.SuspectLate {
			continue // printQuality says it of all requests
		}
		row(w, "note", "%s", sanitize.Line(say.Suspicion(&f.Suspect[i]), 200))
	}
}

// ofTheLast says that a line is of the last request, "" where there is one alone.
func ofTheLast(runs []metrics.Run) string {
	if len(runs) == 1 {
		return ""
	}
	return ", of the last request"
}

// firsts is the ladder of the first things that came, each as early as it was.
func firsts(f *metrics.Figures) string {
	var parts []string
	for _, x := range []struct {
		name string
		v    metrics.Value
	}{{"byte", f.TTFB}, {"event", f.TTFE}, {"token", f.TTFT}, {"content", f.TTFC}, {"non-blank", f.FirstInk}} {
		parts = append(parts, x.name+" "+format.Known(x.v, format.Ms))
	}
	return strings.Join(parts, ", ")
}

// printTrimmed says what was dropped from memory.
func printTrimmed(w io.Writer, s *metrics.Summary) {
	if s.Trimmed > 0 {
		row(w, "left out", "the chunks and texts of %s: memory holds 8 MB of them; percentiles of gaps are within 1.1 %%",
			format.Plural(s.Trimmed, "request", "requests"))
	}
}

// printStalls counts the gaps far above the median, and the unknown ones.
func printStalls(w io.Writer, s *metrics.Summary, f *metrics.Figures) {
	if s.Stalls > 0 {
		row(w, "stalls", "%s, in %s of %s: gaps of more than %s times the median and %s",
			format.Count(s.Stalls), format.Count(s.Stalled),
			format.Plural(s.Done, "request", "requests"), format.Exact(f.StallFactor), format.Limit(f.StallFloor))
	}
	if s.GapsUnknown > 0 {
		row(w, "bursts", "%s unknown: their chunks came in one read", format.Plural(s.GapsUnknown, "gap", "gaps"))
	}
	if text := say.Missing(&s.Gaps); text != "" {
		row(w, "bounds", "%s", text)
	}
}

// printWait prints the parts of the last wait for a first token: measured
// ones here, and separately those that the server reports. last ends the text.
func printWait(w io.Writer, f *metrics.Figures, last string) {
	text, server := wait(f)
	if text == "" {
		return
	}
	tail := ""
	if !server {
		tail = "; server reports no timings"
	}
	row(w, "the wait", "%s%s%s", sanitize.Line(text, 240), last, tail)
}

// lastGood returns the figures of the last request that completed.
func lastGood(runs []metrics.Run) *metrics.Figures {
	for i := len(runs) - 1; i >= 0; i-- {
		if runs[i].Stream.State == metrics.Done {
			return &runs[i].Figures
		}
	}
	return nil
}

// printEnds counts how the requests ended. For each kind of failure it prints
// what happened and what to do.
func printEnds(w io.Writer, runs []metrics.Run, s *metrics.Summary) {
	text := format.Count(s.Done) + " done"
	for _, x := range []struct {
		n    int
		name string
	}{{s.Failed, "failed"}, {s.Truncated, "truncated"}, {s.Cancelled, say.Outcome(metrics.Cancelled)}} {
		if x.n > 0 {
			text += ", " + format.Count(x.n) + " " + x.name
		}
	}
	if s.Done < s.Requests && s.Done > 0 {
		text += "; the figures hold only those that are done"
	}
	row(w, "ended", "%s", text)
	seen := map[metrics.FaultKind]bool{}
	for i := range runs {
		f := runs[i].Stream.Fault
		if f == nil || seen[f.Kind] {
			continue
		}
		seen[f.Kind] = true
		n := 0
		for _, c := range s.Faults {
			if c.Kind == f.Kind {
				n = c.N
			}
		}
		row(w, "", "%s %s: %s", format.Count(n)+"×", f.Kind, sanitize.Line(f.Message, 400))
		if f.RetryAfter > 0 {
			row(w, "", "   the server asks to wait %v", f.RetryAfter)
		}
		if f.Next != "" {
			row(w, "", "   %s", sanitize.Line(f.Next, 400))
		}
	}
	notes := map[string]bool{}
	for i := range runs {
		for _, n := range runs[i].Stream.Notes {
			if !notes[n.Code] {
				notes[n.Code] = true
				row(w, "note", "%s", sanitize.Line(n.Text, 300))
			}
		}
	}
}

// printInterrupted says how many of the requests were sent when a person ended
// the probe.
func printInterrupted(w io.Writer, label string, sent int, form *Form) {
	if form.Interrupted {
		row(w, label, "interrupted after %s of %s", format.Count(sent), format.Plural(form.Asked, "request", "requests"))
	}
}

// printSLOs prints for each limit how many requests met it.
func printSLOs(w io.Writer, runs []metrics.Run, slos []slo.Objective) {
	for _, o := range slos {
		met := 0
		for i := range runs {
			if ok, _ := slo.Met(&runs[i], []slo.Objective{o}); ok {
				met++
			}
		}
		verdict := "met"
		if met < len(runs) {
			verdict = "MISSED"
		}
		row(w, "slo", "%s %s: %s of %s within it", o, verdict, format.Count(met), format.Count(len(runs)))
	}
}

// printQuality prints how far the tool itself can be trusted here.
func printQuality(w io.Writer, s *metrics.Summary, path string) {
	o := s.Observer
	if events := o.KernelStamps + o.UserStamps; events > 0 {
		text := say.Stamps(s.Stamps.String())
		if o.KernelStamps > 0 {
			text += fmt.Sprintf("; %s of %s events reached this program more than 1 ms late",
				format.Count(int(o.LateEvents)), format.Count(int(events)))
		}
		if o.N > 0 {
			text += "; " + lateness(&o)
		}
		row(w, "lag", "%s", text)
	}
	printDelay(w, &s.Delay)
	if path != "" {
		row(w, "recorded", "%s", sanitize.Line(path, 400))
	}
}

// lateness writes the lag of this program.
func lateness(o *metrics.Observer) string {
	return "tokscope lags p99 " + format.Duration(o.LateP99) + ", worst " + format.Duration(o.LateMax) + say.Use(&o.Use)
}
