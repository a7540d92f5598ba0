package cli

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"tokscope/metrics"
	"tokscope/ui/sanitize"
)

// PrintSummary prints what a probe measured: what was asked of whom, the
// figures with their n, what the server says, how the requests ended, and how
// much of it is this program's own doing. path is the recording's, "" without.
func PrintSummary(w io.Writer, runs []metrics.Run, slos []metrics.Objective, path string) error {
	b := bufio.NewWriter(w)
	if len(runs) == 0 {
		fmt.Fprintln(b, "no request was sent")
		return b.Flush()
	}
	s := metrics.Summarize(runs)
	printHead(b, runs, &s)
	if s.Done > 0 {
		fmt.Fprintln(b)
		printTable(b, &s)
		printUnknown(b, &s)
		fmt.Fprintln(b)
		printContext(b, runs, &s)
	} else {
		fmt.Fprintln(b)
	}
	printEnds(b, runs, &s)
	printSLOs(b, runs, slos)
	printQuality(b, &s, path)
	return b.Flush()
}

// Widths of the summary: the labels', and where prose is broken. 100 columns
// fit a ticket and most terminals.
const (
	labelWidth = 12
	lineWidth  = 100
)

// tie stands for a blank that does not end a row: a number stays with its name
// and its unit.
const tie = '\u00a0'

// row prints a label of fixed width and a text, broken between words, the way
// all lines below the table are written.
func row(w io.Writer, label, format string, a ...any) {
	line := fmt.Sprintf("%-*s", labelWidth, label)
	used := labelWidth
	text := fmt.Sprintf(format, a...)
	indent := len(text) - len(strings.TrimLeft(text, " "))
	line += strings.Repeat(" ", indent)
	used += indent
	for i, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\n' }) {
		word = strings.ReplaceAll(word, string(tie), " ")
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case used+1+n > lineWidth:
			fmt.Fprintln(w, line)
			line, used = strings.Repeat(" ", labelWidth+indent), labelWidth+indent
		default:
			line += " "
			used++
		}
		line += word
		used += n
	}
	fmt.Fprintln(w, strings.TrimRight(line, " "))
}

// printHead says what was asked of whom.
func printHead(w io.Writer, runs []metrics.Run, s *metrics.Summary) {
	v := &runs[len(runs)-1].Stream
	parts := []string{v.Endpoint.Name}
	for _, p := range []string{v.Endpoint.Model, v.Endpoint.Note, v.Endpoint.URL, v.Conn.Proto, v.Conn.TLS} {
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
		work = append(work, span(s.Prompt)+" tokens in")
	}
	if s.Output.N > 0 {
		out := span(s.Output) + " out"
		if s.Estimated {
			out += " (estimated)"
		}
		work = append(work, out)
	}
	work = append(work, plural(s.Requests, "request"), fmt.Sprintf("%d at a time", max(v.Work.Concurrency, 1)))
	if s.Reused+s.Fresh > 0 {
		work = append(work, plural(s.Fresh, "new connection")+", "+fmt.Sprint(s.Reused)+" reused")
	}
	fmt.Fprintln(w, sanitize.Line(strings.Join(work, " · "), 240))
}

// printTable prints the figures: one line each, numbers aligned.
func printTable(w io.Writer, s *metrics.Summary) {
	rows := [][]string{{"", "median", "95 % interval", "min … max", "p95", "p99", "n"}}
	add := func(name, unit string, e metrics.Estimate) {
		rows = append(rows, []string{name, figure(e.P50, unit), interval(e.Low, e.High), interval(e.Min, e.Max), cell(e.P95), cell(e.P99), fmt.Sprint(e.N)})
	}
	add("TTFT", "ms", s.TTFT)
	if s.TTFC.P50.OK && s.TTFT.P50.OK && s.TTFC.P50.V > s.TTFT.P50.V*1.001 {
		add("TTFC", "ms", s.TTFC)
	}
	add("TPOT", "ms", s.TPOT)
	add("speed", "tok/s", s.Speed)
	add("total", "ms", s.Total)
	add("longest gap", "ms", s.Longest)
	g := s.Gaps
	rows = append(rows, []string{"gap", figure(g.P50, "ms"), "", interval(g.Min, g.Max), cell(g.P95), cell(g.P99), fmt.Sprint(g.N)})

	width := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, c := range r {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	for _, r := range rows {
		line := fmt.Sprintf("%-12s", r[0])
		for i, c := range r[1:] {
			pad := strings.Repeat(" ", width[i+1]-utf8.RuneCountInString(c))
			line += pad + c + "   "
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// figure is a number with its unit, the unit padded to the longest one, so that
// numbers of different units stand below each other.
func figure(v metrics.Value, unit string) string { return fmt.Sprintf("%s %-5s", cell(v), unit) }

// printContext puts the figures into words.
func printContext(w io.Writer, runs []metrics.Run, s *metrics.Summary) {
	if s.Speed.P50.OK {
		text := fmt.Sprintf("%s tok/s for each user", number(s.Speed.P50.V))
		if f := lastGood(runs); f != nil && f.TimesReading.OK {
			text += fmt.Sprintf(", %sx %s at %.0f words per minute", number(f.TimesReading.V), f.Pace.Name, f.Pace.WPM)
		}
		row(w, "speed", "%s", text)
	}
	if s.Throughput.OK {
		row(w, "throughput", "%s tok/s, all streams over %s s", number(s.Throughput.V), number(s.Window.V/1000))
	} else {
		row(w, "throughput", "– (%s)", sanitize.Line(s.Throughput.Why, 120))
	}
	f := lastGood(runs)
	if f == nil {
		return
	}
	printStalls(w, s, f)
	printWait(w, f)
	for _, n := range f.Suspect {
		row(w, "mind", "%s", sanitize.Line(n.Text, 200))
	}
}

// printUnknown says why there are dashes in the table.
func printUnknown(w io.Writer, s *metrics.Summary) {
	var why []string
	add := func(name string, v metrics.Value) {
		if v.OK || v.Why == "" {
			return
		}
		if text := name + " " + v.Why; !slices.Contains(why, text) {
			why = append(why, text)
		}
	}
	for _, e := range []metrics.Estimate{s.TTFT, s.TPOT} {
		add("the median", e.P50)
		add("the interval", e.Low)
		add("p95", e.P95)
		add("p99", e.P99)
	}
	add("p95", s.Gaps.P95)
	add("p99", s.Gaps.P99)
	if len(why) > 0 {
		row(w, "–", "unknown: %s", sanitize.Line(strings.Join(why, ", "), 300))
	}
}

// printStalls counts the gaps far above the median, and those that nobody knows.
func printStalls(w io.Writer, s *metrics.Summary, f *metrics.Figures) {
	if s.Stalls > 0 {
		row(w, "stalls", "%d, in %d of %s: gaps of more than %.0f times the median and %.0f ms", s.Stalls, s.Stalled, plural(s.Done, "request"), f.StallFactor, f.StallFloor)
	}
	if s.GapsUnknown > 0 {
		row(w, "bursts", "%s unknown: their chunks came in one read", plural(s.GapsUnknown, "gap"))
	}
}

// printWait says what the last wait for a first token consisted of: what was
// measured here, and apart from it what the server says.
func printWait(w io.Writer, f *metrics.Figures) {
	var parts []string
	server := false
	for _, x := range f.Wait {
		if !x.Ms.OK {
			continue
		}
		name := x.Name
		switch {
		case x.Name == metrics.ShareServer:
			name = "rest"
		case x.Name == metrics.ShareSend:
			name = "sent"
		}
		part := fmt.Sprintf("%s%c%s%cms", name, tie, number(x.Ms.V), tie)
		switch {
		case x.Server && server:
			parts[len(parts)-1] += ", " + part
		case x.Server:
			server = true
			parts = append(parts, "server says: "+part)
		default:
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return
	}
	tail := ""
	if !server {
		tail = "; the server says nothing about itself"
	}
	row(w, "the wait", "%s, in the last request%s", sanitize.Line(strings.Join(parts, " · "), 240), tail)
}

// lastGood returns the figures of the last request that ended well.
func lastGood(runs []metrics.Run) *metrics.Figures {
	for i := len(runs) - 1; i >= 0; i-- {
		if runs[i].Stream.State == metrics.Done {
			return &runs[i].Figures
		}
	}
	return nil
}

// printEnds counts how the requests ended, and tells of each kind of failure
// what happened and what to do.
func printEnds(w io.Writer, runs []metrics.Run, s *metrics.Summary) {
	text := fmt.Sprintf("%d done", s.Done)
	for _, x := range []struct {
		n    int
		name string
	}{{s.Failed, "failed"}, {s.Truncated, "truncated"}, {s.Cancelled, "cancelled"}} {
		if x.n > 0 {
			text += fmt.Sprintf(", %d %s", x.n, x.name)
		}
	}
	if s.Done < s.Requests && s.Done > 0 {
		text += "; only those done are in the figures"
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
		row(w, "", "%dx %s: %s", n, f.Kind, sanitize.Line(f.Message, 400))
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

// printSLOs says for each limit how many requests met it.
func printSLOs(w io.Writer, runs []metrics.Run, slos []metrics.Objective) {
	for _, o := range slos {
		met := 0
		for i := range runs {
			if ok, _ := metrics.Met(&runs[i], []metrics.Objective{o}); ok {
				met++
			}
		}
		verdict := "met"
		if met < len(runs) {
			verdict = "MISSED"
		}
		row(w, "slo", "%s %s: %d of %d within it", o, verdict, met, len(runs))
	}
}

// printQuality says how far the tool itself can be trusted here.
func printQuality(w io.Writer, s *metrics.Summary, path string) {
	o := s.Observer
	if events := o.KernelStamps + o.UserStamps; events > 0 {
		text := fmt.Sprintf("%s stamps", s.Stamps)
		if o.KernelStamps > 0 {
			text += fmt.Sprintf("; %d of %d events reached this program more than 1 ms late", o.LateEvents, events)
		}
		if o.N > 0 {
			text += fmt.Sprintf("; own lateness p99 %s ms, worst %s ms", number(float64(o.LateP99)/1e6), number(float64(o.LateMax)/1e6))
		}
		row(w, "observer", "%s", text)
	}
	if path != "" {
		row(w, "recorded", "%s", sanitize.Line(path, 400))
	}
}

// span writes a range of counts: "200" or "180 to 200".
func span(r metrics.Range) string {
	if r.Min == r.Max {
		return fmt.Sprintf("%.0f", r.Min)
	}
	return fmt.Sprintf("%.0f to %.0f", r.Min, r.Max)
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// cell is a number of the table, – when it is unknown.
func cell(v metrics.Value) string {
	if !v.OK {
		return "–"
	}
	return number(v.V)
}

func interval(lo, hi metrics.Value) string {
	if !lo.OK || !hi.OK {
		return "–"
	}
	return number(lo.V) + " … " + number(hi.V)
}

// number writes v with about three figures that mean something.
func number(v float64) string {
	switch a := max(v, -v); {
	case a == 0:
		return "0"
	case a < 0.1:
		return fmt.Sprintf("%.3f", v)
	case a < 10:
		return fmt.Sprintf("%.2f", v)
	case a < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}
