package say

import (
	"strings"
	"time"

	"tokscope/metrics/history"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// HistoryMoment writes a moment in UTC as it is seen from now: "08:07" within
// 24 h, "15 Nov 08:07" within 300 days, else "15 Nov 2025".
func HistoryMoment(t, now time.Time) string {
	layout := "15:04"
	switch d := now.Sub(t); {
	case d.Abs() >= 300*24*time.Hour:
		layout = "2 Jan 2006"
	case d.Abs() >= 24*time.Hour:
		layout = "2 Jan 15:04"
	}
	return t.UTC().Format(layout)
}

// HistoryRange writes a range of time in UTC: "22 Nov 14:20 to 23 Nov 14:20 UTC".
func HistoryRange(from, to time.Time) string {
	const layout = "2 Jan 15:04"
	return from.UTC().Format(layout) + " to " + to.UTC().Format(layout) + " UTC"
}

// HistoryBaselineSet writes what a new baseline took.
func HistoryBaselineSet(b *history.Baseline) string { return "baseline " + HistoryBaseline(b) }

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
const HistoryFilterHelp = `  groq "long answer"             words of endpoint, model or workload
  endpoint: model: workload: machine: url: protocol: proxy: prompt:   a part of a name
  kind: state: fault: status: group: version: connection: suspect:    one of several, with commas
  ttft>500 tpot<=20ms speed>=50 stalls>0 users=1                      a figure in ms or tok/s, a count
  since:24h until:2026-11-20     a time before now, or a moment
  sort:-ttft                     the order of the runs
  !state:done                    the opposite of a term`

// HistoryHead says how much the history holds.
func HistoryHead(v *history.View, filter string) string {
	text := format.Plural(v.All, "run", "runs") + " since " + v.Since.UTC().Format("2006-01-02") +
		"; medians, times in UTC"
	if filter != "" {
		text = format.Count(v.Matching) + " of " + text
	}
	return text
}

// HistoryEmpty says what fills an empty history.
func HistoryEmpty(path string) string {
	return "The history is empty: every run on the Live screen, tokscope " +
		"probe, race, sweep and load adds to it. It is kept in " + path + "."
}

// HistoryNoMatch says that nothing matches a filter.
func HistoryNoMatch(v *history.View) string {
	return "None of " + format.Plural(v.All, "run", "runs") + " matches. tokscope history shows all of them."
}

// HistorySeries names a series in words: endpoint, model, workload, and what else
// sets it apart.
func HistorySeries(s *history.Series) []string {
	parts := []string{s.Endpoint, s.Model, s.Workload}
	if s.Prompt != "" {
		parts[2] += " " + s.Prompt[:min(len(s.Prompt), 6)]
	}
	switch {
	case s.Rate > 0:
		parts = append(parts, format.Exact(s.Rate)+" req/s")
	case s.Users > 1:
		parts = append(parts, format.Count(s.Users)+" users")
	}
	if s.InputTokens > 0 {
		parts = append(parts, format.Count(s.InputTokens)+" tokens in")
	}
	if s.MaxTokens > 0 {
		parts = append(parts, "at most "+format.Count(s.MaxTokens)+" out")
	}
	if s.Cold {
		parts = append(parts, "cold")
	}
	if s.Proto != "" && s.Proto != "HTTP/1.1" {
		parts = append(parts, s.Proto)
	}
	if s.Proxy != "" {
		parts = append(parts, "by proxy "+s.Proxy)
	}
	out := parts[:0]
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return out
}

// HistorySince writes a change point: "2.1x since 2026-11-23 14:02 (1.9–2.3)".
func HistorySince(c *history.Change) string {
	return format.Times(c.Ratio, c.Low, c.High) + " since " +
		HistoryDay(c.At) + " (" + format.TimesInterval(c.Ratio, c.Low, c.High) + ")"
}

// HistoryDay writes a moment in UTC to the minute: "2026-11-23 14:02".
func HistoryDay(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

// HistorySecond writes a moment in UTC to the second.
func HistorySecond(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }

// HistoryFailed says how many requests failed. Those that a person stopped are in
// neither number.
func HistoryFailed(failed, n int) string {
	return format.Either(n > 0, FailedOf(failed, n), format.Unknown+" no request ended by itself")
}

// FailedOf writes failures: "3 of 70".
func FailedOf(failed, n int) string { return format.Count(failed) + " of " + format.Count(n) }

// HistoryDoubts writes what the history could not read or has no longer; nothing
// where all is well.
func HistoryDoubts(v *history.View) (lines []string) {
	if v.Damaged > 0 {
		lines = append(lines, format.Plural(v.Damaged, "damaged line was", "damaged lines were")+
			" skipped: a tokscope was killed while it wrote, or the disk was full.")
	}
	if v.Newer > 0 {
		lines = append(lines, format.Plural(v.Newer, "line is", "lines are")+
			" in the format of a later tokscope, and skipped: use that one to see all.")
	}
	if v.LeftOut > 0 {
		lines = append(lines, format.Plural(v.LeftOut, "older run is", "older runs are")+" no longer kept.")
	}
	return lines
}

// HistoryRemoveQuestion asks before runs are removed.
func HistoryRemoveQuestion(n, all int) string {
	return "Remove " + format.Count(n) + " of " + format.Plural(all, "run", "runs") + " from the history?"
}

// HistoryRemoved says how many runs were removed.
func HistoryRemoved(n int) string {
	if n == 0 {
		return "Nothing matches, nothing was removed."
	}
	return format.Plural(n, "run is", "runs are") + " removed."
}

// HistoryImported says what came out of a file.
func HistoryImported(in history.Imported) string {
	text := format.Count(in.New) + " of " + format.Plural(in.Entries, "run", "runs") + " added"
	if known := in.Entries - in.New; known > 0 {
		text += ", " + format.Count(known) + " known before"
	}
	if in.Damaged > 0 {
		text += ", " + format.Plural(in.Damaged, "entry", "entries") + " not readable"
	}
	if in.Running > 0 {
		text += ", " + format.Plural(in.Running, "request", "requests") + " had not ended"
	}
	return text
}

// HistorySeveral says which series match, where one was wanted.
func HistorySeveral(series []history.SeriesView) string {
	var names []string
	for i := range series {
		if i == 3 {
			names = append(names, format.Count(len(series)-i)+" more")
			break
		}
		names = append(names, strings.Join(HistorySeries(&series[i].Series), " "))
	}
	return format.Count(len(series)) + " series match (" + strings.Join(names, "; ") + ")"
}

// HistoryCSVLeftOut says that slots without figures are not in the CSV.
func HistoryCSVLeftOut(n int) string {
	return format.Plural(n, "slot has", "slots have") +
		" no request that ended well, and no row: Apache Otava wants a number in every cell"
}
