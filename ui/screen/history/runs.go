package history

import (
	"math"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
	"tokscope/ui/screen/listing"
)

// cell is a row of the table with what it is drawn with.
type cell struct {
	p *picture
	*history.Entry
}

// Widths of the table.
const (
	endedLeast, endedWords, endedMost = 9, 20, 34 // "× 429 rate limited" has 20
	textGap                           = 2
)

// columns returns those for a width, in their order from left to right. What is always
// the same comes last, and a machine then not at all.
func (p *picture) columns(w int) []listing.Column[cell] {
	d := &p.v.differ
	text := func(head, sort string, width, rank int, of func(e *history.Entry) string) listing.Column[cell] {
		return listing.Column[cell]{Head: head, Sort: sort, Width: width + textGap, Text: true, Gap: textGap, Rank: rank,
			Write: func(l line, r cell) { l.Name(themes.Text, of(r.Entry)) }}
	}
	figure := func(head, sort string, width, rank int, f history.Figure) listing.Column[cell] {
		return listing.Column[cell]{Head: head, Sort: sort, Width: width + textGap, Rank: rank, Write: figureOf(f)}
	}
	all := []listing.Column[cell]{
		{Head: "UTC", Sort: "at", Width: 6, Text: true, Write: moment},
		{Width: 3, Rank: 3, Least: 2}, // with seconds
		{Width: 3, Rank: 3},           // with the day in their place
		{Width: 3, Rank: 11},          // with both
		text("endpoint", "endpoint", max(d.endpointW, 8), format.Either(d.endpoints, 5, 14),
			func(e *history.Entry) string { return e.Series.Endpoint }),
		text("model", "model", max(d.modelW, 5), format.Either(d.models, 6, 15),
			func(e *history.Entry) string { return e.Series.Model }),
		text("workload", "workload", max(d.workloadW, 8), format.Either(d.workloads, 7, 17),
			func(e *history.Entry) string { return e.Series.Workload }),
		text("by", "kind", 5, 19, func(e *history.Entry) string { return string(e.Kind) }),
		text("machine", "machine", 10, format.Either(d.machines, 12, listing.Never),
			func(e *history.Entry) string { return e.Series.Machine }),
		{Head: "in → out", Sort: "output", Width: 14, Text: true, Gap: textGap, Rank: 20, Write: func(l line, r cell) {
			l.Write(themes.Dim, r.p.Join(r.p.WholeOf(r.Prompt), " → ", r.p.WholeOf(r.Output)))
		}},
		figure("TTFT", "ttft", format.DurationWidth, 1, history.TTFT),
		figure("TPOT", "tpot", format.DurationWidth, 2, history.TPOT),
		figure("total", "total", format.DurationWidth, 18, history.Total),
		figure("tok/s", "speed", 5, 4, history.Speed),
		{Head: "ended", Width: endedLeast + textGap, Text: true, Gap: textGap, Write: ended},
		{Width: endedWords - endedLeast, Rank: 16, Least: 1}, // why a run failed is worth more than what comes now
		{Width: endedMost - endedWords, Rank: 21, Least: 1},
	}
	all[4].Width, all[4].Gap = all[4].Width-1, textGap-1 // one blank parts it from the time
	p.cols = listing.Choose(p.cols[:0], all, w)
	return p.cols
}

// moment writes when a request was sent, in UTC.
func moment(l line, r cell) {
	layout := "15:04"
	switch {
	case l.Left() >= 15:
		layout = "_2 Jan 15:04:05"
	case l.Left() >= 12:
		layout = "_2 Jan 15:04"
	case l.Left() >= 8:
		layout = "15:04:05"
	}
	l.Write(themes.Dim, r.p.Keep(r.At.UTC().AppendFormat(r.p.Scratch(), layout)))
}

// figureOf writes a figure, the unit in the heading where it is a speed.
func figureOf(f history.Figure) func(l line, r cell) {
	return func(l line, r cell) {
		v, text, role := r.Figures[f], draw.Unknown, themes.Text
		if f == history.Speed && !v.OK {
			v = r.Figures[history.Throughput]
		}
		switch {
		case !v.OK:
		case f.Timed():
			text = r.p.Ms(v.V)
		default:
			text = r.p.Number(v.V)
		}
		if v.OK && r.Estimated(f) {
			text = r.p.Join("~", text)
		}
		if !v.OK || r.Suspect {
			role = themes.Dim
		}
		l.Field(role, text, l.Left())
	}
}

// runs draws the table of runs: the visible part alone.
func (p *picture) runs(r draw.Rect) {
	v := p.v
	right := p.Join(p.Count(v.rows.Matching), " of ", p.Count(v.rows.All))
	title := "runs"
	if v.filter != "" {
		title = p.Join("runs ─ / ", sanitize.Line(v.filter, max(r.W/2, 8)))
	} else if v.rows.Matching == v.rows.All {
		right = p.Count(v.rows.All)
	}
	if v.rows.Damaged > 0 {
		right = p.Join(p.Plural(v.rows.Damaged, "damaged line", "damaged lines"), " skipped   ", right)
	}
	if v.rows.Newer > 0 {
		right = p.Join(p.Plural(v.rows.Newer, "line", "lines"), " of a later version skipped   ", right)
	}
	in := p.Box(r, themes.Border, title, right)
	p.table(in)
	p.bar(in)
}

// table draws the headings of the runs over in, and the visible rows below.
func (p *picture) table(in draw.Rect) {
	v, cols := p.v, p.columns(in.W-listing.Mark)
	sorted := format.Either(v.order.Time(), "", v.order.Field)
	l := p.Row(in, 0)
	l.Skip(listing.Mark)
	listing.Heads(&p.Canvas, l, cols, sorted, v.order.Descending,
		func(field string) draw.Target { return onColumn(field) })
	p.visible = max(in.H-1, 0)
	v.scroll(p.visible)
	for i := range min(p.visible, v.rows.Matching-v.Top) {
		at, row := v.Top+i, draw.Rect{X: in.X, Y: in.Y + 1 + i, W: in.W, H: 1}
		if e := v.row(at); e != nil {
			listing.Row(&p.Canvas, row, cols, cell{p, e}, onRow(at), at == v.Selected)
			continue
		}
		p.Grid.Target(row, onRow(at)) // it is being asked for
		l := p.Row(row, 0)
		l.Slot(themes.Accent, format.Either(at == v.Selected, string(p.Glyphs.Ghost), ""), listing.Mark)
		l.Set(themes.Faint, p.Glyphs.Ellipsis)
	}
}

// ended writes how a run ended, by shape and color.
func ended(l line, r cell) {
	p, e := r.p, r.Entry
	switch {
	case e.Kind == history.Point:
		state := format.Either(e.Failed > 0, metrics.Failed, metrics.Done)
		sign, role := draw.Outcome(p.Glyphs, state)
		l.Set(role, sign)
		l.Skip(1)
		l.Cut(themes.Dim, p.Join(p.Plural(e.N, "request", "requests"), ", ", p.Plural(e.Series.Users, "user", "users")))
	case e.State == metrics.Done && e.Suspect:
		l.Set(themes.Warn, p.Glyphs.Stall)
		l.Skip(1)
		l.Cut(themes.Warn, "suspect")
	default:
		listing.Ended(&p.Canvas, l, e.State, e.Status, say.HistoryEnded(e))
	}
}

// bar draws where the visible rows lie among all, inside the right border.
func (p *picture) bar(in draw.Rect) {
	n, h := p.v.rows.Matching, in.H-1
	if n <= h || h < 3 {
		return
	}
	size := max(h*h/n, 1)
	at := int(math.Round(float64(h-size) * float64(p.v.Top) / float64(n-h)))
	p.Grid.Down(in.Right(), in.Y+1+min(at, h-size), size, p.Glyphs.Block, themes.Border)
}

// scroll moves the visible part so that it holds the selected run.
func (v *View) scroll(rows int) {
	v.Selected = min(max(v.Selected, 0), max(v.rows.Matching-1, 0))
	v.Top = draw.Scroll(v.Top, v.Selected, max(rows, 1), v.rows.Matching)
}

// title is the heading of the chart: the figure and what tells the series, all of it or
// what differs.
func (v *View) title(name string, all bool) string {
	s, d := &v.shown.Series, &v.differ
	return format.Join(" ─ ", name, format.Name(s.Endpoint, 24), format.If(all || d.models, format.Name(s.Model, 24)),
		format.If(all || d.workloads, format.Name(s.Workload, 16)),
		format.If(s.Cold, "cold"), format.If(s.Users > 1, format.Plural(s.Users, "user", "users")),
		format.If(d.machines, format.Name(s.Machine, 16)), say.HistorySpan(&v.finding)+", UTC")
}
