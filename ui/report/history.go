package report

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// HistoryForm says what the text of a history has beside its View.
type HistoryForm struct {
	Filter string
	Path   string // of the file of entries
	Width  int    // of the lines
}

// mostSeries is the number of series in the text.
const mostSeries = 12

// historyShown are the figures of a series in the text.
var historyShown = []history.Figure{history.TTFT, history.Prefill,
	history.TPOT, history.Total, history.Longest, history.Throughput}

// Widths of a line of a series: of what stands before its sparkline, and of the
// sparkline.
const (
	beforeTrend = 49
	trendCells  = 32
)

// History prints a block for each series, measured last first, and the runs of v.
func History(w io.Writer, v *history.View, o HistoryForm) error {
	b := bufio.NewWriter(w)
	switch {
	case v.All == 0:
		historyLines(b, o.Width, say.HistoryEmpty(sanitize.Line(o.Path, 300)))
	case v.Matching == 0:
		historyLines(b, o.Width, say.HistoryNoMatch(v))
	default:
		fmt.Fprintln(b, say.HistoryHead(v, o.Filter))
		for i := range v.Series {
			if i == mostSeries {
				fmt.Fprintf(b, "\nand %s: a filter shows them\n", format.Plural(len(v.Series)-i, "more series", "more series"))
				break
			}
			fmt.Fprintln(b)
			historySeries(b, &v.Series[i], severalMachines(v), o.Width)
		}
		if len(v.Entries) > 0 {
			fmt.Fprintln(b)
			historyRuns(b, v.Entries, o.Width)
		}
	}
	for i, line := range say.HistoryDoubts(v) {
		if i == 0 {
			fmt.Fprintln(b)
		}
		historyLines(b, o.Width, line)
	}
	return b.Flush()
}

func historyLines(w io.Writer, width int, text string) {
	for _, line := range format.Wrap(text, min(width, lineWidth)) {
		fmt.Fprintln(w, line)
	}
}

// severalMachines reports whether the series of v were measured by several.
func severalMachines(v *history.View) bool {
	for i := range v.Series {
		if v.Series[i].Series.Machine != v.Series[0].Series.Machine {
			return true
		}
	}
	return false
}

// historySeries prints the block of a series.
func historySeries(w io.Writer, s *history.SeriesView, machine bool, width int) {
	parts := say.HistorySeries(&s.Series)
	if machine {
		parts = append(parts, "measured by "+s.Series.Machine)
	}
	fmt.Fprintln(w, sanitize.Line(strings.Join(parts, "  "), width))
	for _, f := range historyShown {
		q := &s.Figures[f]
		if q.N == 0 {
			continue
		}
		c, middle, beside := lastChange(s.Changes, f), q.P50, historyHalf(f, q)
		if c != nil { // what holds now, not a mixture
			middle, beside = c.After, "before "+say.HistoryValue(f, c.Before)
		}
		line := fmt.Sprintf("  %-12s %-10s %-20s  %s", say.HistoryFigure(f),
			say.HistoryValue(f, middle), beside, historyTrend(s.Slots, f, min(trendCells, width-beforeTrend)))
		if c != nil {
			since := say.HistorySince(c)
			if draw.Width(line+since)+2 > width {
				line += "\n" + strings.Repeat(" ", 15) + since
			} else {
				line += "  " + since
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
	fmt.Fprintf(w, "  %-12s %s, %s to %s\n", "failed", say.HistoryFailed(s.Failed, s.N),
		say.HistoryDay(s.First), say.HistoryDay(s.Last))
	if s.Baseline != nil {
		fmt.Fprintf(w, "  %-12s %s\n", "baseline",
			sanitize.Line(say.HistoryBaseline(s.Baseline), width-15))
	}
}

// historyHalf is the range of the middle half of a figure.
func historyHalf(f history.Figure, q *history.Quantiles) string {
	if q.N < 4 {
		return "n=" + format.Count(q.N)
	}
	return "half " + say.HistoryHalf(f, q)
}

// lastChange returns the last change point of a figure, nil without one.
func lastChange(changes []history.Change, f history.Figure) *history.Change {
	for i := len(changes) - 1; i >= 0; i-- {
		if changes[i].Figure == f {
			return &changes[i]
		}
	}
	return nil
}

// historyTrend draws the medians of a figure's slots in equal numbers of slots a
// cell, the last cell the newest, with at most that many cells. Bars begin at 0 and end at the largest median.
func historyTrend(slots []history.Slot, f history.Figure, cells int) string {
	var values []float64
	for i := range slots {
		if q := &slots[i].Figures[f]; q.N > 0 {
			values = append(values, q.P50)
		}
	}
	if len(values) < 2 || cells < 2 {
		return ""
	}
	cells = min(cells, len(values))
	medians, largest := make([]float64, cells), 0.0
	for i := range medians {
		part := values[i*len(values)/cells : (i+1)*len(values)/cells]
		medians[i] = history.QuantilesOf(append([]float64(nil), part...)).P50
		largest = max(largest, medians[i])
	}
	bars := []rune("▁▂▃▄▅▆▇█")
	var b strings.Builder
	for _, m := range medians {
		level := 0
		if largest > 0 {
			level = int(math.Round(m / largest * float64(len(bars)-1)))
		}
		b.WriteRune(bars[min(max(level, 0), len(bars)-1)])
	}
	return b.String()
}

// leftOutFirst are the columns of the runs that a narrow terminal does without:
// tok/s, by, workload, endpoint.
var leftOutFirst = []int{7, 1, 4, 2}

func sumOf(ns []int) (sum int) {
	for _, n := range ns {
		sum += n
	}
	return sum
}

// historyRuns prints a row for each entry.
func historyRuns(w io.Writer, entries []history.Entry, width int) {
	rows := [][]string{{"UTC", "by", "endpoint", "model", "workload", "TTFT", "TPOT", "tok/s", "ended"}}
	for i := range entries {
		e := &entries[i]
		rows = append(rows, []string{
			say.HistorySecond(e.At), string(e.Kind), sanitize.Line(e.Series.Endpoint, 18),
			sanitize.Line(e.Series.Model, 26), sanitize.Line(e.Series.Workload, 14),
			format.Known(e.Figures[history.TTFT], format.Ms), format.Known(e.Figures[history.TPOT], format.Ms),
			format.Known(e.Figures[history.Speed], format.Number), historyEnded(e),
		})
	}
	wide := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, c := range r {
			wide[i] = max(wide[i], draw.Width(c))
		}
	}
	drop := 0 // as many columns as the width needs
	for all := 2*len(wide) - 2 + sumOf(wide); all > width && drop < len(leftOutFirst); drop++ {
		all -= wide[leftOutFirst[drop]] + 2
	}
	for _, r := range rows {
		var line strings.Builder
		for i, c := range r {
			if slices.Contains(leftOutFirst[:drop], i) {
				continue
			}
			line.WriteString(c + strings.Repeat(" ", wide[i]-draw.Width(c)+2))
		}
		fmt.Fprintln(w, sanitize.Line(strings.TrimRight(line.String(), " "), width))
	}
}

// historyEnded says how an entry ended.
func historyEnded(e *history.Entry) string {
	text := say.Outcome(e.State)
	switch {
	case e.Kind == history.Point:
		text = format.Plural(e.N, "request", "requests")
		if e.Failed > 0 {
			text += ", " + format.Count(e.Failed) + " failed"
		}
	case e.Status > 0:
		text += ", HTTP " + strconv.Itoa(e.Status)
	case e.Fault != "" && e.Fault != metrics.FaultCancelled:
		text += ", " + string(e.Fault)
	}
	if e.Suspect {
		text += ", suspect"
	}
	return text
}

// HistoryBaselines prints a line for each baseline.
func HistoryBaselines(w io.Writer, list []history.Baseline) error {
	b := bufio.NewWriter(w)
	if len(list) == 0 {
		fmt.Fprintln(b, "no baselines: tokscope history baseline set NAME FILTER names one")
	}
	for i := range list {
		fmt.Fprintln(b, sanitize.Line(say.HistoryBaselineSet(&list[i]), 200))
		fmt.Fprintln(b, "  "+sanitize.Line(strings.Join(say.HistorySeries(&list[i].Series), "  "), 200))
	}
	return b.Flush()
}

// historyColumns are the columns of the CSV that describe a slot, before those of
// the figures.
var historyColumns = []struct {
	name string
	of   func(s *history.SeriesView, slot *history.Slot) string
}{
	{"time", func(_ *history.SeriesView, slot *history.Slot) string { return slot.From.UTC().Format(time.RFC3339) }},
	{"branch", func(s *history.SeriesView, _ *history.Slot) string {
		parts := append(say.HistorySeries(&s.Series), s.Series.Machine)
		return sanitize.CSV(strings.Join(parts, " "))
	}},
	{"machine", func(s *history.SeriesView, _ *history.Slot) string { return sanitize.CSV(s.Series.Machine) }},
	{"endpoint", func(s *history.SeriesView, _ *history.Slot) string { return sanitize.CSV(s.Series.Endpoint) }},
	{"model", func(s *history.SeriesView, _ *history.Slot) string { return sanitize.CSV(s.Series.Model) }},
	{"workload", func(s *history.SeriesView, _ *history.Slot) string { return sanitize.CSV(s.Series.Workload) }},
	{"slot_s", func(_ *history.SeriesView, slot *history.Slot) string { return csvFloat(slot.Width.Seconds()) }},
	{"requests", func(_ *history.SeriesView, slot *history.Slot) string { return strconv.Itoa(slot.N) }},
	{"failed", func(_ *history.SeriesView, slot *history.Slot) string { return strconv.Itoa(slot.Failed) }},
}

func csvFloat(v float64) string { return csvNumber(metrics.Known(v, 1)) }

// HistoryCSV prints a row for each slot of each series, in time. The names of the
// columns have the units. The column branch names the series, because Apache Otava
// selects rows by that name. left is the number of slots without a figure, which
// have no row.
func HistoryCSV(w io.Writer, v *history.View) (left int, err error) {
	out := csv.NewWriter(w)
	var head []string
	for _, c := range historyColumns {
		head = append(head, c.name)
	}
	for f := range history.Figure(history.NumFigures) {
		unit := "_ms"
		if !say.HistoryIsTime(f) {
			unit = "_tok_per_s"
		}
		for _, q := range []string{"_p50", "_p90"} {
			head = append(head, f.String()+q+unit)
		}
	}
	if err := out.Write(head); err != nil {
		return 0, err
	}
	for i := range v.Series {
		s := &v.Series[i]
		for k := range s.Slots {
			slot, any := &s.Slots[k], false
			var row []string
			for _, c := range historyColumns {
				row = append(row, c.of(s, slot))
			}
			for f := range slot.Figures {
				q := &slot.Figures[f]
				if q.N == 0 {
					row = append(row, "", "")
					continue
				}
				any = true
				row = append(row, csvFloat(q.P50), csvFloat(q.P90))
			}
			if !any {
				left++
				continue
			}
			if err := out.Write(row); err != nil {
				return left, err
			}
		}
	}
	out.Flush()
	return left, out.Error()
}
