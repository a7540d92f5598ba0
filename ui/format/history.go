package format

import (
	"math"
	"strconv"
	"time"

	"tokscope/metrics/figure"
	"tokscope/metrics/history"
	"tokscope/ui/sanitize"
)

// HistoryFigure is the name of a figure of the history.
func HistoryFigure(f history.Figure) string { return f.Label() }

// HistoryIsTime reports whether a figure is a time, so that more is worse.
func HistoryIsTime(f history.Figure) bool { return f.Timed() }

// AppendFigure appends a value of a figure with its unit; a count has none.
func AppendFigure(b []byte, id figure.ID, v float64) []byte {
	switch figure.Of(id).Unit {
	case figure.Ms:
		return AppendMs(b, v)
	case figure.TokensPerSecond:
		return append(AppendNumber(b, v), " tok/s"...)
	case figure.ChunksPerSecond:
		return append(AppendNumber(b, v), " chunks/s"...)
	case figure.WordsPerMinute:
		return append(AppendNumber(b, v), " wpm"...)
	case figure.Number:
		return AppendWhole(b, v)
	case figure.Share:
		return AppendPercent(b, v)
	case figure.Percent:
		return AppendChange(b, v/100)
	case figure.Times:
		return AppendFactor(b, v)
	case figure.Money:
		return AppendMoney(b, v)
	}
	return AppendNumber(b, v)
}

// Figure is AppendFigure as a string.
func Figure(id figure.ID, v float64) string {
	var room [32]byte
	return string(AppendFigure(room[:0], id, v))
}

// HistoryValue is Figure.
func HistoryValue(f history.Figure, v float64) string { return Figure(f, v) }

// HistoryRatio writes a ratio with its 95 % interval: "2.1x (1.9–2.3)". It has
// two decimals where one would hide the interval's width.
func HistoryRatio(ratio, low, high float64) string {
	n := historyDecimals(ratio, low, high)
	b := append(appendTimesWith(nil, ratio, n), "x"...)
	return string(append(b, " ("+HistoryInterval(ratio, low, high)+")"...))
}

// HistoryTimes writes the ratio alone: "2.1x".
func HistoryTimes(ratio, low, high float64) string {
	return string(append(appendTimesWith(nil, ratio, historyDecimals(ratio, low, high)), 'x'))
}

// HistoryInterval writes the interval alone: "1.9–2.3".
func HistoryInterval(ratio, low, high float64) string {
	n := historyDecimals(ratio, low, high)
	return Range(low, high, func(v float64) string { return string(appendTimesWith(nil, v, n)) })
}

// historyDecimals are the digits after the point of a ratio and its interval.
func historyDecimals(ratio, low, high float64) int {
	switch {
	case ratio >= 9.95:
		return 0
	case high-low < 0.2 || ratio < 1.2:
		return 2
	}
	return 1
}

// appendTimesWith appends a factor with n decimals, and its bounds where the
// digits would hide it.
func appendTimesWith(b []byte, v float64, n int) []byte {
	least := math.Pow10(-n)
	switch {
	case math.IsNaN(v):
		return append(b, Unknown...)
	case math.IsInf(v, 1) || v >= 999.5:
		return append(b, ">999"...)
	case v > 0 && v < least/2:
		return strconv.AppendFloat(append(b, '<'), least, 'f', n, 64)
	}
	return strconv.AppendFloat(b, v, 'f', n, 64)
}

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
	text := "baseline " + sanitize.Line(b.Name, 60) + ": " + Plural(b.N, "run", "runs") + ", " + HistoryRange(b.From, b.To)
	for _, f := range [...]history.Figure{history.TTFT, history.TPOT} {
		if q := &b.Figures[f]; q.N > 0 {
			text += ", " + f.Label() + " " + Figure(f, q.P50)
		}
	}
	return text
}
