package say

import (
	"time"

	"tokscope/metrics/history"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// HistoryFigure is the name of a figure of the history.
func HistoryFigure(f history.Figure) string { return f.Label() }

// HistoryIsTime reports whether a figure is a time, so that more is worse.
func HistoryIsTime(f history.Figure) bool { return f.Timed() }

// HistoryValue is Figure.
func HistoryValue(f history.Figure, v float64) string { return format.Figure(f, v) }

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
func HistoryBaselineSet(b *history.Baseline) string {
	text := "baseline " + sanitize.Line(b.Name, 60) + ": " + format.Plural(b.N, "run", "runs") + ", " +
		HistoryRange(b.From, b.To)
	for _, f := range [...]history.Figure{history.TTFT, history.TPOT} {
		if q := &b.Figures[f]; q.N > 0 {
			text += ", " + f.Label() + " " + format.Figure(f, q.P50)
		}
	}
	return text
}
