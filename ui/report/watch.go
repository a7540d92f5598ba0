package report

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"tokscope/metrics/condition"
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
		out[i] = sanitize.Line(b.Targets[i].Label, maxLabel)
		width = max(width, draw.Width(out[i]))
	}
	for i, l := range out {
		out[i] = pad(l, width)
	}
	return out
}

// WatchHead prints what is watched and the head of the columns.
func WatchHead(w io.Writer, b *watchstat.Board) error {
	out := bufio.NewWriter(w)
	for i := range b.Targets {
		t := &b.Targets[i]
		parts := []string{t.Label, t.Endpoint.Model, t.Work.Name}
		if t.Work.InputTokens > 0 {
			parts = append(parts, "about "+format.Count(t.Work.InputTokens)+" tokens in")
		}
		parts = append(parts, "at most "+format.Count(t.Work.MaxTokens)+" out", "every "+b.Every.String())
		if v := &t.View; v.N > 0 {
			parts = append(parts, "baseline "+v.Baseline+" of "+format.Plural(v.N, "probe", "probes"),
				say.WatchFalseAlarms(v))
		} else {
			parts = append(parts, "the first "+format.Plural(v.Needs, "good probe", "good probes")+" become the baseline")
		}
		fmt.Fprintln(out, sanitize.Line(strings.Join(nonEmpty(parts), " · "), 300))
	}
	if watchBilled(b) {
		fmt.Fprintf(out,
			"bounds a day (UTC), of targets elsewhere than on this machine: %s tokens, %s where a price is known\n",
			watchBound(b.Bounds.Tokens, format.Whole), watchBound(b.Bounds.Money, format.Number))
	}
	if b.Program != "" {
		fmt.Fprintln(out,
			"program of Artificial Analysis: 1,000 and 10,000 tokens in, "+
				"8 probes a day, median of 72 h; one location, so no figures of theirs")
	}
	fmt.Fprintf(out, "\n%-8s  %s", "UTC", strings.Repeat(" ", draw.Width(watchLabels(b)[0])))
	for _, f := range watchColumns {
		fmt.Fprintf(out, "  %*s", watchWidth, say.WatchFigure(f))
	}
	fmt.Fprintln(out)
	return out.Flush()
}

// watchWidth is that of a column of figures.
const watchWidth = 11

func watchBilled(b *watchstat.Board) bool {
	for i := range b.Targets {
		if !b.Targets[i].Here {
			return true
		}
	}
	return false
}

func watchBound(v float64, write func(float64) string) string {
	if v == 0 {
		return "no bound of"
	}
	return write(v)
}

func nonEmpty(parts []string) (out []string) {
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return out
}

// WatchLine prints what an update says: a line for a probe, and one below it for
// what it changed; a line for a pause.
func WatchLine(w io.Writer, u *watchstat.Update) error {
	out := bufio.NewWriter(w)
	t := &u.Board.Targets[u.Target]
	label := watchLabels(&u.Board)[u.Target]
	e := &t.View.Last
	switch {
	case !u.Probe:
		fmt.Fprintf(out, "%-8s  %s  %s\n", "", label, say.WatchPause(t, &u.Board))
	case t.Fault != nil:
		fmt.Fprintf(out, "%s  %s  failed: %s\n", watchTime(e.At), label, sanitize.Line(t.Fault.Error(), 200))
	default:
		fmt.Fprintf(out, "%s  %s", watchTime(e.At), label)
		values := watchstat.ValuesOf(e)
		for _, f := range watchColumns {
			fmt.Fprintf(out, "  %*s", watchWidth, format.Known(values[f], format.Ms))
		}
		fmt.Fprintln(out, "  "+watchMark(t))
	}
	if text := say.WatchEvent(u.Event, t, e.At); u.Probe && text != "" {
		fmt.Fprintf(out, "%-8s  %s  %s\n", "", label, sanitize.Line(text, 400))
	}
	return out.Flush()
}

// watchMark is the last column of a line.
func watchMark(t *watchstat.Target) string {
	text := say.WatchState(t.View.State)
	if t.View.State == watchstat.Learning {
		text += fmt.Sprintf(" %s/%s", format.Count(t.View.Good), format.Count(t.View.Needs))
	}
	if t.View.Last.Suspect {
		text += ", not counted: tokscope lagged"
	}
	if t.TTFT.Value.OK {
		text += fmt.Sprintf(", 72 h median TTFT %s of %s", format.Ms(t.TTFT.Value.V), format.Count(t.TTFT.Value.N))
	}
	return text
}

// watchTime writes a moment of a line.
func watchTime(t time.Time) string { return t.UTC().Format("15:04:05") }

// WatchResult prints the end: a sentence and the counts of each target.
func WatchResult(w io.Writer, b *watchstat.Board, now time.Time) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "\n%s\n", say.WatchEnd(b))
	if day := say.WatchDay(b); day != "" {
		fmt.Fprintf(out, "used elsewhere than on this machine: %s (UTC)\n", sanitize.Line(day, 120))
	}
	for i := range b.Targets {
		t := &b.Targets[i]
		v := &t.View
		fmt.Fprintf(out, "%s: %s\n", sanitize.Line(t.Label, 80), sanitize.Line(say.WatchSentence(t, now), 400))
		parts := []string{format.Plural(v.Probes, "probe", "probes"), format.Count(v.Failed) + " failed"}
		if v.Suspect > 0 {
			parts = append(parts, format.Count(v.Suspect)+" not counted: tokscope lagged")
		}
		parts = append(parts, say.WatchUse(t), say.WatchFalseAlarms(v))
		for _, f := range []watchstat.Figure{watchstat.TTFT, watchstat.TPOT, watchstat.Total} {
			if text := say.WatchTypical(t, f); text != "" {
				parts = append(parts, say.WatchFigure(f)+": "+text)
			}
		}
		fmt.Fprintln(out, "  "+strings.Join(nonEmpty(parts), " · "))
		for j := range v.Rows {
			if row := &v.Rows[j]; v.State == watchstat.Changed && row.Base.OK && row.Now.OK {
				fmt.Fprintln(out, "  "+watchRow(row))
			}
		}
		for j := range t.Judgments {
			fmt.Fprintln(out, "  "+say.WatchJudgment(&t.Judgments[j]))
		}
	}
	return out.Flush()
}

// watchRow writes a figure of a target that has changed: its baseline, what it is
// now, and whether it changed.
func watchRow(r *watchstat.Row) string {
	write := format.Ms
	if r.Figure == watchstat.Failures {
		write = format.Percent
	}
	return say.WatchFigure(r.Figure) + ": baseline " + write(r.Base.V) +
		", now " + write(r.Now.V) + ", " + say.WatchChange(r)
}

// junit is a report for CI systems: a test suite a target. A case fails where the
// target changed, where a condition is met, or where every probe failed.
type junit struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name      string      `xml:"name,attr"`
	Timestamp string      `xml:"timestamp,attr"`
	Tests     int         `xml:"tests,attr"`
	Failures  int         `xml:"failures,attr"`
	Time      string      `xml:"time,attr"`
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
	doc := junit{Name: "tokscope watch"}
	seconds := strings.TrimSuffix(string(format.AppendSeconds(nil, now.Sub(b.Began).Seconds(), 1)), " s")
	for i := range b.Targets {
		t := &b.Targets[i]
		s := junitSuite{Name: sanitize.Line(t.Label, 200),
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
			lost = ", the last: " + t.Fault.Error()
		}
		add("answers", v.Probes > 0 && v.Failed == v.Probes, v.Probes == 0,
			format.Count(v.Failed)+" of "+format.Plural(v.Probes, "probe", "probes")+" failed"+lost)
		add("unchanged against the baseline", v.State == watchstat.Changed,
			v.State == watchstat.Learning, say.WatchSentence(t, now))
		for j := range t.Judgments {
			judged := &t.Judgments[j]
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
