package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"tokscope/metrics/condition"
	"tokscope/metrics/pick"
	"tokscope/metrics/watchstat"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// watchColumns are the figures of a line of a watch.
var watchColumns = []watchstat.Figure{watchstat.Connect,
	watchstat.TTFT, watchstat.TPOT, watchstat.Stall, watchstat.Total}

// maxLabel bounds the column of labels.
const maxLabel = 28

// watchLabels returns the labels as they are printed, of equal width.
func watchLabels(b *watchstat.Board) []string {
	width, out := 0, make([]string, len(b.Targets))
	for i := range b.Targets {
		out[i] = format.Name(b.Targets[i].Label, maxLabel)
		width = max(width, draw.Width(out[i]))
	}
	for i, l := range out {
		out[i] = pad(l, width)
	}
	return out
}

// WatchHead is what is watched, and the head of the columns.
func WatchHead(b *watchstat.Board) string {
	d, billed := &Doc{}, false
	for _, t := range pick.All(b.Targets) {
		baseline := "the first " + format.Plural(t.View.Needs, "good probe", "good probes") + " become the baseline"
		if v := &t.View; v.N > 0 {
			baseline = join("baseline "+v.Baseline+" of "+format.Plural(v.N, "probe", "probes"), say.WatchFalseAlarms(v))
		}
		d.Note(join(t.Label, format.If(t.Endpoint.Model != t.Label, t.Endpoint.Model),
			say.Work(&t.Work), say.Settings(&t.Endpoint), about(t.Work.InputTokens),
			atMost(t.Work.MaxTokens), "every "+b.Every.String(), baseline))
		billed = billed || !t.Here
	}
	if billed {
		d.Note("bounds a day (UTC), of targets elsewhere than on this machine: tokens " +
			watchBound(b.Bounds.Tokens, format.Whole) + ", money " + watchBound(b.Bounds.Money, format.Number))
	}
	if b.Program != "" {
		d.Note("program of Artificial Analysis: 1,000 and 10,000 tokens in, " +
			"8 probes a day, median of 72 h; one location, so no figures of theirs")
	}
	head := fmt.Sprintf("%-8s  %s", "UTC", strings.Repeat(" ", draw.Width(watchLabels(b)[0])))
	for _, f := range watchColumns {
		head += fmt.Sprintf("  %*s", watchWidth, f.Label())
	}
	return d.Text(0) + "\n" + head + "\n"
}

// watchWidth is that of a column of figures.
const watchWidth = 11

func watchBound(v float64, write func(float64) string) string {
	return format.Either(v > 0, write(v), "without a bound")
}

// WatchLine is what an update says: a line for a probe, and one below it for what it
// changed; a line for a pause.
func WatchLine(u *watchstat.Update) string {
	t := &u.Board.Targets[u.Target]
	label := watchLabels(&u.Board)[u.Target]
	e := &t.View.Last
	var b strings.Builder
	line := func(at, text string) { fmt.Fprintf(&b, "%-8s  %s  %s\n", at, label, clean(text)) }
	at := e.At.UTC().Format("15:04:05")
	switch {
	case !u.Probe:
		line("", say.WatchPause(t, &u.Board))
		return b.String()
	case t.Fault != nil:
		line(at, format.Join("; ", "failed: "+t.Fault.Error(), say.RequestID(t.Request)))
	default:
		cells, values := "", watchstat.ValuesOf(e)
		for _, f := range watchColumns {
			cells += fmt.Sprintf("%*s  ", watchWidth, format.Known(values[f], format.Ms))
		}
		state, typical := say.WatchState(t.View.State), t.Typical[watchstat.TTFT]
		learned := " " + format.Count(t.View.Good) + "/" + format.Count(t.View.Needs)
		line(at, cells+format.Join(", ", state+format.If(t.View.State == watchstat.Learning, learned),
			say.Unended(e.Unended), format.If(e.Suspect, "not counted: tokscope lagged"),
			format.If(typical.OK, "72 h median TTFT "+format.Ms(typical.V)+" of "+format.Count(typical.N))))
	}
	if text := say.WatchEvent(u.Event, t, e.At); text != "" {
		line("", text)
	}
	return b.String()
}

// WatchResult lists the end: a sentence, and the counts of each target.
func WatchResult(b *watchstat.Board, now time.Time) *Doc {
	d := &Doc{}
	d.lead(say.WatchEnd(b))
	day := say.WatchDay(b)
	d.Note(format.If(day != "", "used elsewhere than on this machine: "+day+" (UTC)"))
	for _, t := range pick.All(b.Targets) {
		v := &t.View
		d.fact(t.Label, say.WatchSentence(t, now))
		suspect := format.If(v.Suspect > 0, format.Count(v.Suspect)+" not counted: tokscope lagged")
		parts := []string{format.Plural(v.Probes, "probe", "probes"), format.Count(v.Failed) + " failed", suspect,
			say.WatchUse(t), say.WatchFalseAlarms(v)}
		for _, f := range watchstat.Typicals {
			text := say.WatchTypical(t, f)
			parts = append(parts, format.If(text != "", f.Label()+": "+text))
		}
		d.fact(t.Label, join(parts...))
		for j := range v.Rows {
			if row := &v.Rows[j]; (v.State == watchstat.Changed || row.Suspected) && row.Base.OK && row.Now.OK {
				write := format.Either(row.Figure == watchstat.Failures, format.Percent, format.Ms)
				d.fact(t.Label, row.Figure.Label()+": baseline "+write(row.Base.V)+", now "+write(row.Now.V)+", "+
					say.WatchChange(row))
			}
		}
		for j := range t.Judgments {
			d.fact(t.Label, say.WatchJudgment(&t.Judgments[j]))
		}
	}
	return d
}

// junit is a report for CI systems, or one of its suites: a suite a target. A case fails
// where the target changed, where a condition is met, or where every probe failed.
type junit struct {
	XMLName   xml.Name
	Name      string      `xml:"name,attr"`
	Timestamp string      `xml:"timestamp,attr,omitempty"`
	Tests     int         `xml:"tests,attr"`
	Failures  int         `xml:"failures,attr"`
	Time      string      `xml:"time,attr,omitempty"`
	Suites    []junit     `xml:"testsuite"`
	Cases     []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitMessage `xml:"failure,omitempty"`
	Skipped *junitMessage `xml:"skipped,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
}

// WatchJUnit writes a watch as JUnit XML.
func WatchJUnit(w io.Writer, b *watchstat.Board, now time.Time) error {
	doc := junit{XMLName: xml.Name{Local: "testsuites"}, Name: "tokscope watch"}
	seconds := strings.TrimSuffix(string(format.AppendSeconds(nil, now.Sub(b.Began).Seconds(), 1)), " s")
	for _, t := range pick.All(b.Targets) {
		s := junit{Name: sanitize.Line(t.Label, 200),
			Timestamp: b.Began.UTC().Format("2006-01-02T15:04:05"), Time: seconds}
		add := func(name string, failed, skipped bool, message string) {
			c := junitCase{Name: name, Class: "tokscope.watch." + s.Name, Time: seconds}
			m := &junitMessage{sanitize.Line(message, 400)}
			switch {
			case failed:
				c.Failure = m
				s.Failures++
			case skipped:
				c.Skipped = m
			}
			s.Tests++
			s.Cases = append(s.Cases, c)
		}
		v := &t.View
		lost := ""
		if t.Fault != nil {
			lost = ", the last: " + format.Join("; ", t.Fault.Error(), say.RequestID(t.Request))
		}
		add("answers", v.Probes > 0 && v.Failed == v.Probes, v.Probes == 0,
			format.Count(v.Failed)+" of "+format.Plural(v.Probes, "probe", "probes")+" failed"+lost)
		add("unchanged against the baseline", v.State == watchstat.Changed,
			v.State == watchstat.Learning, say.WatchSentence(t, now))
		for _, judged := range pick.All(t.Judgments) {
			add("not "+judged.Condition.String(), judged.Outcome == condition.Met,
				judged.Outcome == condition.Unknown, say.WatchJudgment(judged))
		}
		doc.Tests += s.Tests
		doc.Failures += s.Failures
		doc.Suites = append(doc.Suites, s)
	}
	out, err := xml.MarshalIndent(doc, "", "  ")
	if err == nil {
		_, err = io.WriteString(w, xml.Header+string(out)+"\n")
	}
	return err
}
