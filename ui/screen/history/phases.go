package history

import (
	"math"
	"slices"
	"strings"

	"tokscope/metrics/comparison"
	"tokscope/metrics/history"
	"tokscope/metrics/pick"
	"tokscope/themes"
	"tokscope/ui/chart/smoke"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
	"tokscope/ui/screen/listing"
)

// phaseRow is one figure before and now.
type phaseRow struct {
	figure                            history.Figure // NumFigures for none
	name, before, now, change, beside string         // beside: the difference, or of how many
	role                              themes.Role    // of the change
	rank                              int            // lower ones stay when room is short
	brief                             string         // in one line with others
}

// phaseTable holds the words of the phases, which change with the answers alone.
type phaseTable struct {
	title  string
	before string // heading, "" without a reference
	rows   []phaseRow
}

// phaseNames are the rows, in the order of a request, with their ranks.
var phaseNames = []struct {
	figure history.Figure
	name   string
	rank   int
}{
	{history.DNS, "dns", 8}, {history.TCP, "tcp", 4}, {history.TLS, "tls", 7}, {history.Upload, "upload", 9},
	{history.TTFT, "wait", 0}, {history.Queue, "  queue", 5}, {history.Prefill, "  prefill", 1},
	{history.TPOT, "decode", 2}, {history.Longest, "longest gap", 10}, {history.Total, "total", 6},
}

func (a *answer) phases() (t phaseTable) {
	f := &a.finding
	r := f.Result
	switch f.Reference {
	case say.AgainstBaseline:
		t.title, t.before = "phases since "+say.HistoryMoment(f.Since, a.now)+" UTC, against the baseline", "baseline"
	case say.AgainstBefore:
		t.title, t.before = "phases before and after "+say.HistoryMoment(f.Since, a.now)+" UTC", "before"
	default:
		t.title = "phases" + say.HistoryShown(f)
	}
	if r == nil {
		return t
	}
	measured := r.Row(history.TTFT) != nil
	reused, silent := measured, measured
	for _, n := range phaseNames {
		row := r.Row(n.figure)
		if n.figure == history.TTFT && reused {
			t.rows = append(t.rows, missing("connect", "connection reused", 4))
		}
		if n.figure == history.TPOT && silent {
			t.rows = append(t.rows, missing("  server", "server reports no timings", 3))
		}
		if row == nil || row.NA+row.NB == 0 {
			continue
		}
		switch n.figure {
		case history.DNS, history.TCP, history.TLS:
			reused = false
		case history.Queue, history.Prefill:
			silent = false
		}
		t.rows = append(t.rows, phaseOf(row, n.name, n.rank))
	}
	t.rows = append(t.rows, failureRow(&r.Failures))
	for _, row := range pick.All(t.rows) {
		if f.Reference == say.Unreferenced {
			row.before, row.beside, row.role = "", "", themes.Dim
			if row.figure < history.NumFigures {
				q := &f.Usual[row.figure]
				row.change, row.beside = "", format.Count(q.N)
				if q.N >= smoke.HalfFrom {
					row.change = say.HistoryHalf(row.figure, q)
				}
			} else if row.name == "failures" {
				row.change = ""
			}
		}
		row.brief = row.words(f.Reference != say.Unreferenced)
	}
	return t
}

// missing is the row of what no request has, and why.
func missing(name, why string, rank int) phaseRow {
	return phaseRow{figure: history.NumFigures, name: name, before: format.Unknown,
		now: format.Unknown, change: why, role: themes.Dim, rank: rank}
}

func phaseOf(row *comparison.Row, name string, rank int) phaseRow {
	out := missing(name, say.HistoryChange(row), rank)
	out.figure = row.Figure
	if row.NA > 0 {
		out.before = format.Figure(row.Figure, row.A)
	}
	if row.NB > 0 {
		out.now = format.Figure(row.Figure, row.B)
	}
	if row.Figure == history.Queue || row.Figure == history.Prefill {
		out.change += "  (server)"
	}
	switch {
	case row.State == comparison.Higher:
		out.role = themes.Warn
	case row.State == comparison.Lower:
		out.role = themes.Good
	}
	if row.Different() {
		out.beside = format.Either(row.B < row.A, format.Minus, "+") + format.Ms(math.Abs(row.B-row.A))
	}
	return out
}

func failureRow(f *comparison.Failures) phaseRow {
	row := missing("failures", "no clear change", 3)
	row.before = format.Count(f.FailedA) + " of " + format.Count(f.NA)
	row.now = format.Count(f.FailedB) + " of " + format.Count(f.NB)
	switch f.State {
	case comparison.TooFew:
		row.change = "too few to tell"
	case comparison.Higher:
		row.change, row.role = "more", themes.Bad
	case comparison.Lower:
		row.change, row.role = "fewer", themes.Good
	}
	return row
}

// words writes a row for a line with others: "wait 268 → 566 ms, 2.1x".
func (r *phaseRow) words(compared bool) string {
	name := strings.TrimLeft(r.name, " ")
	switch {
	case r.now == format.Unknown:
		return ""
	case !compared:
		return name + " " + r.now
	case r.role == themes.Dim:
		return name + " " + r.now + " as before"
	}
	return name + " " + r.before + " → " + r.now
}

func (t *phaseTable) height() int { return len(t.rows) + 3 }

// phasePanel draws the table. Rows of lower ranks stay when room is short.
func (p *picture) phasePanel(r draw.Rect) {
	t := &p.phases
	in := p.Box(r, themes.Border, t.title, "")
	cols := listing.Choose(nil, phaseColumns(t), in.W)
	listing.Heads(&p.Canvas, p.Row(in, 0), cols, "", false, nil)
	most, y := rankThatFits(t.rows, in.H-1), 0
	for i := range t.rows {
		if row := &t.rows[i]; row.rank <= most {
			y++
			listing.Cells(&p.Canvas, p.Row(in, y), cols, row)
		}
	}
}

// phaseColumns are those of the table. What no row has is left out.
func phaseColumns(t *phaseTable) []listing.Column[*phaseRow] {
	const figureW = 12
	alone := t.before == ""
	beside := slices.ContainsFunc(t.rows, func(r phaseRow) bool { return r.beside != "" })
	return []listing.Column[*phaseRow]{
		{Width: 13, Text: true, Write: func(l line, r *phaseRow) {
			l.Write(format.Either(r.rank == 0, themes.Strong, themes.Text), r.name)
		}},
		{Head: t.before, Width: figureW, Rank: format.Either(alone, listing.Never, 0), Text: true,
			Write: func(l line, r *phaseRow) { l.Write(themes.Text, r.before) }},
		{Head: format.Either(alone, "median", "now"), Width: figureW, Text: true, Write: func(l line, r *phaseRow) {
			l.Write(format.Either(r.role == themes.Dim, themes.Text, themes.Strong), r.now)
		}},
		{Head: format.Either(alone, "middle 50 %", "change"), Width: format.Either(alone, 27, 28), Least: 1, Text: true,
			Write: func(l line, r *phaseRow) { l.Cut(r.role, r.change) }},
		{Head: format.Either(alone, "n", "difference"), Width: 1 << 10, Least: 10,
			Rank: format.Either(beside, 1, listing.Never), Text: true,
			Write: func(l line, r *phaseRow) { l.Whole(themes.Text, r.beside) }},
	}
}

// rankThatFits is the highest rank of which all rows up to it fit into n rows.
func rankThatFits(rows []phaseRow, n int) int {
	ranks := pick.Each(rows, func(r *phaseRow) int { return r.rank })
	if len(ranks) <= n {
		return mostRank
	}
	slices.Sort(ranks)
	return ranks[max(n, 0)] - 1
}

// mostRank is the rank of what goes first.
const mostRank = 10

// phaseLine writes the rows that matter most into one line.
func (p *picture) phaseLine(r draw.Rect) {
	l := p.Row(r.Inset(1, 0), 0)
	for rank := range mostRank + 1 {
		for _, row := range pick.All(p.phases.rows) {
			if row.rank != rank || row.brief == "" || draw.Width(row.brief) > l.Left() {
				continue
			}
			l.Write(format.Either(row.role == themes.Dim, themes.Text, row.role), row.brief)
			l.Skip(3)
		}
	}
}
