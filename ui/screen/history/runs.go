package history

import (
	"math"
	"strconv"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// runColumn is a column of the table of runs.
type runColumn struct {
	head  string
	width int    // with the space after it
	sort  string // the field that a click sorts by, "" for none
	rank  int    // lower ones come first when room is short
	right bool   // a figure: its heading ends where it ends
	write func(p *canvas, l *line, e *history.Entry)
}

// Widths of the table.
const (
	endedLeast, endedMost = 9, 34
	endedWords            = 20             // "× 429 rate limited"
	sparkRoom             = sparkWidth + 1 // a space before it
	secondsRoom           = 3
)

// runColumns returns all columns, in their order from left to right.
func (p *canvas) runColumns() []runColumn {
	d := &p.v.Several
	only := func(differ bool, rank int) int { // what is always the same comes last
		if differ {
			return rank
		}
		return rank + 10
	}
	return []runColumn{
		{"UTC", 13, "at", 0, false, (*canvas).moment},
		{"endpoint", max(d.endpointW, 8) + 2, "endpoint", only(d.endpoints, 5), false,
			func(p *canvas, l *line, e *history.Entry) { name(l, e.Series.Endpoint, l.Left()-2) }},
		{"model", max(d.modelW, 5) + 2, "model", only(d.models, 6), false,
			func(p *canvas, l *line, e *history.Entry) { name(l, e.Series.Model, l.Left()-2) }},
		{"workload", max(d.workloadW, 8) + 2, "workload", only(d.workloads, 7), false,
			func(p *canvas, l *line, e *history.Entry) { name(l, e.Series.Workload, l.Left()-2) }},
		{"by", 7, "kind", 19, false, func(p *canvas, l *line, e *history.Entry) { name(l, string(e.Kind), 6) }},
		{"machine", 12, "machine", only(d.machines, 12), false,
			func(p *canvas, l *line, e *history.Entry) { name(l, e.Series.Machine, 11) }},
		{"in → out", 14, "output", 20, false, (*canvas).tokens},
		{"TTFT", format.DurationWidth + 2, "ttft", 1, true, figureOf(history.TTFT)},
		{"TPOT", format.DurationWidth + 2, "tpot", 2, true, figureOf(history.TPOT)},
		{"total", format.DurationWidth + 2, "total", 18, true, figureOf(history.Total)},
		{"tok/s", 7, "speed", 4, true, figureOf(history.Speed)},
	}
}

func name(l *line, s string, w int) { l.Raw(themes.Text, sanitize.Line(s, w)) }

// moment writes when a request was sent, in UTC.
func (p *canvas) moment(l *line, e *history.Entry) {
	layout := "_2 Jan 15:04"
	if l.Left() >= 16 {
		layout = "_2 Jan 15:04:05"
	}
	l.Write(themes.Dim, p.Keep(e.At.UTC().AppendFormat(p.Scratch(), layout)))
}

func (p *canvas) tokens(l *line, e *history.Entry) {
	l.Write(themes.Dim, p.Join(p.WholeOf(e.Prompt), " → ", p.WholeOf(e.Output)))
}

// figureOf writes a figure, the unit in the heading where it is a speed.
func figureOf(f history.Figure) func(p *canvas, l *line, e *history.Entry) {
	return func(p *canvas, l *line, e *history.Entry) {
		v := e.Figures[f]
		if f == history.Speed && !v.OK {
			v = e.Figures[history.Throughput]
		}
		text := draw.Unknown
		switch {
		case !v.OK:
		case f.Timed():
			text = p.Ms(v.V)
		default:
			text = p.Number(v.V)
		}
		role := themes.Text
		if !v.OK || e.Suspect {
			role = themes.Dim
		}
		l.Field(role, text, l.Left()-2)
	}
}

// runs draws the table of runs: the visible part alone.
func (p *canvas) runs(r draw.Rect) {
	v := p.v
	right := p.Join(p.Count(v.Matching), " of ", p.Count(v.All))
	title := "runs"
	if v.Filter != "" {
		title = p.Join("runs ─ / ", sanitize.Line(v.Filter, max(r.W/2, 8)))
	} else if v.Matching == v.All {
		right = p.Count(v.All)
	}
	if v.Damaged > 0 {
		right = p.Join(p.Plural(v.Damaged, "damaged line", "damaged lines"), " skipped   ", right)
	}
	if v.Newer > 0 {
		right = p.Join(p.Plural(v.Newer, "line", "lines"), " of a later version skipped   ", right)
	}
	in := p.Box(r, themes.Border, title, right)
	cols, ended, spark := p.choose(in.W - 2)
	p.heads(in, cols, ended, spark)
	p.visible = max(in.H-1, 0)
	v.scroll(p.visible)
	for i := range p.visible {
		at := v.Top + i
		if at >= v.Matching {
			break
		}
		row := draw.Rect{X: in.X, Y: in.Y + 1 + i, W: in.W, H: 1}
		l, e := p.run(row, at)
		if e == nil {
			continue
		}
		for c := range cols {
			cell := p.Line(l.X, l.Y, cols[c].width)
			cols[c].write(p, &cell, e)
			l.Skip(cols[c].width)
		}
		cell := p.Line(l.X, l.Y, ended)
		p.ended(&cell, e)
		if spark {
			p.spark(l.X+ended+1, l.Y, e)
		}
		if at == v.Selected {
			p.Grid.Style(draw.Rect{X: row.X + 1, Y: row.Y, W: row.W - 1, H: 1}, themes.Selected)
		}
	}
	p.bar(in)
}

// choose returns the columns for a width, the width of how a run ended, and
// whether there is room for sparklines.
func (p *canvas) choose(w int) (cols []runColumn, ended int, spark bool) {
	all := p.runColumns()
	ended = endedLeast
	left := w - ended
	var used [16]bool
	for rank := 0; rank <= 20; rank++ { // a machine that is always the same has none
		if rank == 11 && left >= secondsRoom {
			all[0].width += secondsRoom
			left -= secondsRoom
		}
		if rank == 17 { // why a run failed is worth more than what comes now
			more := min(left, endedWords-endedLeast)
			ended, left = ended+more, left-more
		}
		if rank == 9 && left >= sparkRoom+8 {
			spark = true
			left -= sparkRoom
		}
		for i := range all {
			if all[i].rank == rank && left >= all[i].width {
				used[i] = true
				left -= all[i].width
			}
		}
	}
	ended = min(ended+left, endedMost)
	for i := range all {
		if used[i] {
			cols = append(cols, all[i])
		}
	}
	return cols, ended, spark
}

// heads writes the headings.
func (p *canvas) heads(in draw.Rect, cols []runColumn, ended int, spark bool) {
	l := p.Row(in, 0)
	l.Skip(2)
	for i := range cols {
		c := &cols[i]
		text, role := c.head, themes.Dim
		if c.sort == p.v.Order.Field && !p.v.Order.Time() {
			role = themes.Accent
			arrow := p.Glyphs.Up
			if p.v.Order.Descending {
				arrow = p.Glyphs.Down
			}
			text = p.Keep(append(append(p.Scratch(), text...), string(arrow)...))
		}
		cell := p.Line(l.X, l.Y, c.width)
		if c.right {
			cell.Field(role, text, c.width-2)
		} else {
			cell.Whole(role, text)
		}
		p.Grid.Target(draw.Rect{X: l.X, Y: l.Y, W: c.width, H: 1}, onColumn(c.sort))
		l.Skip(c.width)
	}
	cell := p.Line(l.X, l.Y, ended)
	cell.Whole(themes.Dim, "ended")
	if spark {
		p.Grid.Text(l.X+ended+1, in.Y,
			p.Join(p.v.Figure.Label(), ", ", format.HistorySpan(p.v.Finding.Shown)), themes.Dim, sparkWidth)
	}
}

// ended writes how a run ended, by shape and color.
func (p *canvas) ended(l *line, e *history.Entry) {
	switch {
	case e.Kind == history.Point:
		state := metrics.Done
		if e.Failed > 0 {
			state = metrics.Failed
		}
		sign, role := draw.Outcome(p.Glyphs, state)
		l.Set(role, sign)
		l.Skip(1)
		l.Cut(themes.Dim, p.Join(p.Plural(e.N, "request", "requests"), ", ", p.Plural(e.Series.Users, "user", "users")))
		return
	case e.State == metrics.Done && e.Suspect:
		l.Set(themes.Warn, p.Glyphs.Stall)
		l.Skip(1)
		l.Cut(themes.Warn, "suspect")
		return
	}
	sign, role := draw.Outcome(p.Glyphs, e.State)
	l.Set(role, sign)
	if e.State == metrics.Done {
		return
	}
	l.Skip(1)
	if e.Status != 0 {
		l.Write(themes.Bad, p.Keep(strconv.AppendInt(p.Scratch(), int64(e.Status), 10)))
		l.Skip(1)
	}
	if words := format.HistoryEnded(e); l.Left() >= 4 {
		l.Cut(themes.Dim, words)
	}
}

// spark draws the trend of a run's series.
func (p *canvas) spark(x, y int, e *history.Entry) {
	values := p.v.Sparks[e.Series]
	role := themes.Dim
	if p.v.Shown != nil && p.v.Shown.Series == e.Series {
		role = themes.PerUser
	}
	for i, v := range values {
		if !math.IsNaN(v) {
			p.Grid.Bar(x+i, y, 1, v, p.Glyphs, role)
		}
	}
}

// bar draws where the visible rows lie among all, on the right border.
func (p *canvas) bar(in draw.Rect) {
	n, h := p.v.Matching, in.H-1
	if n <= h || h < 3 {
		return
	}
	size := max(h*h/n, 1)
	at := int(math.Round(float64(h-size) * float64(p.v.Top) / float64(n-h)))
	for i := range size {
		p.Grid.Set(in.Right()+1, in.Y+1+min(at, h-size)+i, p.Glyphs.Block, themes.Border)
	}
}

// scroll moves the visible part so that it holds the selected run.
func (v *View) scroll(rows int) {
	v.Selected = min(max(v.Selected, 0), max(v.Matching-1, 0))
	v.Top = min(v.Top, v.Selected)
	if rows > 0 {
		v.Top = max(v.Top, v.Selected-rows+1)
	}
	v.Top = max(min(v.Top, v.Matching-rows), 0)
}

// title is the heading of the chart: the figure and all that tells the series.
func (v *View) title(name string) string {
	s := &v.Shown.Series
	text := name
	add := func(part string) {
		if part != "" {
			text += " ─ " + part
		}
	}
	add(sanitize.Line(s.Endpoint, 24))
	add(sanitize.Line(s.Model, 24))
	add(sanitize.Line(s.Workload, 16))
	if s.Cold {
		add("cold")
	}
	if s.Users > 1 {
		add(format.Plural(s.Users, "user", "users"))
	}
	if v.Several.machines {
		add(sanitize.Line(s.Machine, 16))
	}
	add(format.HistorySpan(v.Finding.Shown) + ", UTC")
	return text
}

// run begins the row of the run at that index: the mark of the chosen one, or room for
// it. e is nil while the run is being asked for, which the row then says.
func (p *canvas) run(row draw.Rect, at int) (l draw.Line, e *history.Entry) {
	l = p.Row(row, 0)
	p.Grid.Target(row, onRow(at))
	if at == p.v.Selected {
		l.Set(themes.Accent, p.Glyphs.Ghost)
		l.Skip(1)
	} else {
		l.Skip(2)
	}
	if e = p.v.row(at); e == nil {
		l.Set(themes.Faint, p.Glyphs.Ellipsis)
	}
	return l, e
}
