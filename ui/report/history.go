package report

import (
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/pick"
	"tokscope/metrics/watchstat"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// HistoryBlocks is the number of series in the text.
const HistoryBlocks = 12

// historyShown are the figures of a series in the text.
var historyShown = []history.Figure{history.TTFT, history.Prefill,
	history.TPOT, history.Total, history.Longest, history.Throughput}

// trendCells is the width of a sparkline.
const trendCells = 32

// History lists a block for each series, measured last first, and the runs of v, which
// match filter. now says how the newest runs of each are, nil where nobody asked. path is
// that of the file of entries.
func History(v *history.View, now []watchstat.View, filter, path string) *Doc {
	d, runs := &Doc{}, format.Plural(v.All, "run", "runs")
	switch {
	case v.All == 0:
		d.Note("The history is empty: every run on the Live screen, tokscope " +
			"probe, race, sweep and load adds to it. It is kept in " + path + ".")
	case v.Matching == 0:
		d.Note("None of " + runs + " matches. tokscope history shows all of them.")
	default:
		d.Note(format.If(filter != "", format.Count(v.Matching)+" of ") + runs +
			" since " + v.Since.UTC().Format(time.DateOnly) + "; medians, times in UTC")
		several := slices.ContainsFunc(v.Series, func(s history.SeriesView) bool {
			return s.Series.Machine != v.Series[0].Series.Machine
		})
		for i := range v.Series[:min(len(v.Series), HistoryBlocks)] {
			t := seriesTable(&v.Series[i], several)
			if i < len(now) {
				t.under("now", say.HistoryLately(&now[i], v.Series[i].Last))
			}
			d.table(t)
		}
		left := len(v.Series) - HistoryBlocks
		d.Note(format.If(left > 0, "and "+format.Plural(left, "more series", "more series")+": a filter shows them"))
		d.table(entryTable(v.Entries))
	}
	d.Note(say.HistoryDoubts(v)...)
	return d
}

// seriesTable is the block of a series: its figures, their change, and below them how
// its requests ended. machine names who measured it.
func seriesTable(s *history.SeriesView, machine bool) *Table {
	parts := say.HistorySeries(&s.Series)
	if machine {
		parts = append(parts, "measured by "+s.Series.Machine)
	}
	t := &Table{Title: join(parts...), Keys: 2, Cols: words("", "", "", "")}
	t.Cols[3].Drawn = true
	for _, f := range historyShown {
		q := &s.Figures[f]
		if q.N == 0 {
			continue
		}
		middle, beside := q.P50, format.Either(q.N < 4, "n="+format.Count(q.N), "middle 50 % "+say.HistoryHalf(f, q))
		for _, c := range slices.Backward(s.Changes) {
			if c.Figure == f { // what holds now, not a mixture
				middle, beside = c.After, "before "+format.Figure(f, c.Before)
				t.under("changed", f.Label()+" "+say.HistorySince(&c))
				break
			}
		}
		t.row(pad(f.Label(), labelWidth-columnGap), format.Figure(f, middle), beside,
			historyTrend(s.Slots, f))
	}
	failed := format.Either(s.N > 0, say.FailedOf(s.Failed, s.N), format.Unknown+" no request ended by itself")
	t.under("failed", failed+", "+say.HistoryDay(s.First)+" to "+say.HistoryDay(s.Last))
	if s.Baseline != nil {
		t.under("baseline", say.HistoryBaseline(s.Baseline))
	}
	return t
}

// historyTrend draws the medians of a figure's slots in equal numbers of slots a
// cell, the last cell the newest. Bars begin at 0 and end at the largest median.
func historyTrend(slots []history.Slot, f history.Figure) string {
	var values []float64
	for i := range slots {
		if q := &slots[i].Figures[f]; q.N > 0 {
			values = append(values, q.P50)
		}
	}
	if len(values) < 2 {
		return ""
	}
	cells := min(trendCells, len(values))
	medians, largest := make([]float64, cells), math.SmallestNonzeroFloat64
	for i := range medians {
		part := values[i*len(values)/cells : (i+1)*len(values)/cells]
		medians[i] = history.QuantilesOf(append([]float64(nil), part...)).P50
		largest = max(largest, medians[i])
	}
	bars := []rune("▁▂▃▄▅▆▇█")
	var b strings.Builder
	for _, m := range medians {
		level := int(math.Round(m / largest * float64(len(bars)-1)))
		b.WriteRune(bars[min(max(level, 0), len(bars)-1)])
	}
	return b.String()
}

// entryTable has a row for each entry.
func entryTable(entries []history.Entry) *Table {
	t := &Table{Cols: slices.Concat(words("UTC", "by", "endpoint", "model", "workload"),
		figures("TTFT", "TPOT", "tok/s"), words("ended")), Dispensable: []string{"tok/s", "by", "workload", "endpoint"}}
	for _, e := range pick.All(entries) {
		t.row(e.At.UTC().Format(time.DateTime), string(e.Kind), format.Name(e.Series.Endpoint, 18),
			format.Name(e.Series.Model, 26), format.Name(e.Series.Workload, 14),
			format.Known(e.Figures[history.TTFT], format.Ms), historyFigure(e, history.TPOT, format.Ms),
			historyFigure(e, history.Speed, format.Number), historyEnded(e))
	}
	return t
}

// historyFigure writes a figure of an entry, with "~" where it rests on an estimate.
func historyFigure(e *history.Entry, f history.Figure, write func(float64) string) string {
	v := e.Figures[f]
	return format.If(v.OK && e.Estimated(f), "~") + format.Known(v, write)
}

// historyEnded says how an entry ended.
func historyEnded(e *history.Entry) string {
	text := say.Outcome(e.State)
	switch {
	case e.Kind == history.Point:
		text = format.Plural(e.N, "request", "requests") + format.If(e.Failed > 0, ", "+format.Count(e.Failed)+" failed")
	case e.Status > 0 || e.Fault != "" && e.State == metrics.Failed:
		text += ", " + say.FaultName(e.Fault, e.Status)
	case e.State == metrics.Done:
		text = format.Join(", ", text, say.HistoryEnded(e))
	}
	return text + format.If(e.Suspect, ", suspect")
}

// HistoryBaselines lists baselines.
func HistoryBaselines(list []history.Baseline) *Doc {
	d := &Doc{}
	if len(list) == 0 {
		d.Note("no baselines: tokscope history baseline set NAME FILTER names one")
	}
	for i := range list {
		d.Note("baseline "+say.HistoryBaseline(&list[i]), join(say.HistorySeries(&list[i].Series)...))
	}
	return d
}

// slotRow is a line of the CSV of a history: a slot of a series.
type slotRow struct {
	history.Series
	history.Slot
}

// HistoryCSV writes a line for each slot of each series, in time. left is the number
// of slots without a figure, which have no line.
func HistoryCSV(w io.Writer, v *history.View) (left int, err error) {
	var rows []slotRow
	for _, s := range pick.All(v.Series) {
		for _, slot := range pick.All(s.Slots) {
			if !slices.ContainsFunc(slot.Figures[:], func(q history.Quantiles) bool { return q.N > 0 }) {
				left++
				continue
			}
			rows = append(rows, slotRow{s.Series, *slot})
		}
	}
	return left, writeCSV(w, rows, slotCells)
}

// slotCells adds the cells of a slot. The column branch names the series, because Apache
// Otava selects rows by that name.
func slotCells(l *csvLine, x *slotRow) {
	l.add("time", x.From.UTC().Format(time.RFC3339))
	l.add("branch", strings.Join(append(say.HistorySeries(&x.Series), x.Machine), " "))
	l.fields("*", &x.Series, "machine", "endpoint", "model", "workload")
	l.add("slot_s", x.Width.Seconds())
	l.add("requests", x.N)
	l.add("failed", x.Failed)
	for f, q := range x.Figures {
		f := history.Figure(f)
		unit := format.Either(f.Timed(), "_ms", "_tok_per_s")
		l.add(f.String()+"_p50"+unit, format.Either[any](q.N > 0, q.P50, ""))
		l.add(f.String()+"_p90"+unit, format.Either[any](q.N > 0, q.P90, ""))
	}
	l.fields("*", &x.Series, "api")
}
