package watch

import (
	"tokscope/metrics/pick"
	"tokscope/metrics/watchstat"
	"tokscope/themes"
	"tokscope/ui/chart/smoke"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
	"tokscope/ui/screen/listing"
)

// picture draws the screen. It belongs to one goroutine.
type picture struct {
	draw.Canvas
	charts [2]smoke.Chart
}

// Click targets.
type (
	onTarget int
	onChart  struct{}
)

// Sizes at which the layout changes.
const (
	sentenceH  = 2
	phasesFrom = 28 // rows: the table of phases
	secondFrom = 20 // rows of the charts: one of a second figure
	boxesFrom  = 16 // rows and, times four, columns: below, rows without boxes
	mostRows   = 8  // of the targets
	nameW      = 24
	nameLeast  = 10
	figureW    = 12
)

// Draw paints v into r. It covers everything in r and touches nothing outside. Any
// size works.
func (p *picture) Draw(g *draw.Grid, r draw.Rect, v *View) {
	defer p.Open(g, r, v.Glyphs)()
	if len(v.Board.Targets) == 0 {
		return
	}
	head, body := r.SplitV(min(sentenceH, r.H))
	t := &v.Board.Targets[v.Selected]
	p.sentence(head.Inset(1, 0), v, t)
	if r.H < boxesFrom || r.W < 4*boxesFrom {
		p.rows(body, v)
		return
	}
	top, rest := body.SplitV(min(len(v.Board.Targets), mostRows) + 3)
	p.targets(top, v)
	if r.H >= phasesFrom {
		rest, body = rest.SplitV(rest.H - 3 - pick.Count(t.View.Rows[:], known)) // its frame and its heads
		p.phases(body, v, t)
	}
	if rest.H >= secondFrom {
		second := format.Either(v.Figure == watchstat.TTFT, watchstat.TPOT, watchstat.TTFT)
		rest, body = rest.SplitV((rest.H + 1) / 2)
		p.smoke(body, v, t, 1, second)
	}
	p.smoke(rest, v, t, 0, v.Figure)
}

// sentence says how a target is. What has changed or failed has the color of that.
func (p *picture) sentence(r draw.Rect, v *View, t *watchstat.Target) {
	role, colored := stateRole(t), 1
	if role == themes.Dim {
		role = themes.Strong
	}
	if t.View.Recent.Failed > 0 && t.View.State > watchstat.Usual {
		colored = 2
	}
	p.Sentence(r, role, colored, sanitize.Line(label(v, t, ": ")+say.WatchSentence(t, v.Now), 300))
}

// label names a target with that text behind it, where there are several.
func label(v *View, t *watchstat.Target, behind string) string {
	return format.If(len(v.Board.Targets) > 1, t.Label+behind)
}

// stateRole is the color of a state; its word stands beside it.
func stateRole(t *watchstat.Target) themes.Role {
	switch {
	case t.View.State == watchstat.Changed || t.Fault != nil:
		return themes.Bad
	case t.View.State > watchstat.Usual || t.View.Recent.Failed > 0:
		return themes.Warn
	}
	return themes.Dim
}

// rowRole is the color of a figure, or otherwise.
func rowRole(t *watchstat.Target, f watchstat.Figure, otherwise themes.Role) themes.Role {
	switch r := &t.View.Rows[f]; {
	case slight(r, t.View.Change):
		return otherwise
	case r.Changed && t.View.State == watchstat.Changed:
		return themes.Bad
	case r.Changed || r.Suspected:
		return themes.Warn
	}
	return otherwise
}

// slight reports whether r rose by too little to matter beside c, nil for no change: it
// is said, and is no alarm.
func slight(r *watchstat.Row, c *watchstat.Change) bool {
	const ms = 1
	return c != nil && c.Head != r.Figure && r.Figure != watchstat.TPOT && r.Figure != watchstat.Failures &&
		r.Now.V-r.Base.V < ms
}

// row is a target with what its cells are drawn with.
type row struct {
	p *picture
	*watchstat.Target
	selected bool
}

// columns are those of the table of targets.
var columns = allColumns()

func allColumns() []listing.Column[row] {
	all := []listing.Column[row]{
		{Head: "target", Width: nameLeast, Least: 1, Text: true, Write: func(l draw.Line, r row) {
			l.End-- // a blank
			l.Name(format.Either(r.selected, themes.Strong, themes.Text), r.Label)
		}},
		{Width: 6, Rank: 3, Least: 1}, {Width: nameW - nameLeast - 6, Rank: 8, Least: 1},
	}
	for i, f := range figures {
		all = append(all, listing.Column[row]{Head: f.Label(), Width: figureW, Rank: [...]int{1, 5, 6, 7, 9}[i],
			Write: func(l draw.Line, r row) {
				value := format.Known(watchstat.ValuesOf(&r.View.Last)[f], format.Ms)
				l.Field(rowRole(r.Target, f, themes.Text), value, figureW)
			}})
	}
	return append(all, listing.Column[row]{Head: "failed", Width: figureW, Rank: 4, Write: func(l draw.Line, r row) {
		l.Field(themes.Text, format.Count(r.View.Failed)+" of "+format.Count(r.View.Probes), figureW)
	}}, listing.Column[row]{Head: "state", Width: 14, Least: 1, Text: true, Gap: 2, Write: func(l draw.Line, r row) {
		l.Cut(stateRole(r.Target), word(r.Target))
		l.Whole(themes.Dim, " · "+say.WatchUse(r.Target))
	}}, listing.Column[row]{Width: 6, Rank: 2, Least: 1}, listing.Column[row]{Width: 1 << 10, Rank: 10, Least: 1})
}

// mark is the room of the mark of the selected target.
const mark = 2

// targets is the table of all of them, as many as fit around the selected one.
func (p *picture) targets(r draw.Rect, v *View) {
	in := p.Box(r, themes.Border, "targets", sanitize.Line(say.WatchDay(&v.Board), 100))
	l := p.Row(in, 0)
	l.Skip(mark)
	listing.Heads(&p.Canvas, l, listing.Choose(nil, columns, in.W-mark), "", false, nil)
	p.rows(draw.Rect{X: in.X, Y: in.Y + 1, W: in.W, H: in.H - 1}, v)
}

func (p *picture) rows(r draw.Rect, v *View) {
	cols := listing.Choose(nil, columns, r.W-mark)
	first := max(0, min(v.Selected-r.H/2, len(v.Board.Targets)-r.H))
	for i := first; i < len(v.Board.Targets) && i-first < r.H; i++ {
		p.Grid.Target(draw.Rect{X: r.X, Y: r.Y + i - first, W: r.W, H: 1}, onTarget(i))
		l := p.Row(r, i-first)
		l.Slot(themes.Accent, format.Either(i == v.Selected, "▸", ""), mark)
		listing.Cells(&p.Canvas, l, cols, row{p, &v.Board.Targets[i], i == v.Selected})
	}
}

func word(t *watchstat.Target) string {
	switch {
	case t.Fault != nil:
		return "failed: " + say.FaultName(t.Fault.Kind, t.Fault.Status)
	case t.Skip.Code != watchstat.NotSkipped:
		return "paused until " + t.Skip.Until.UTC().Format("15:04")
	case t.View.State == watchstat.Learning:
		return "learning " + format.Count(t.View.Good) + " of " + format.Count(t.View.Needs)
	}
	return say.WatchState(t.View.State)
}

// smoke is chart n of the selected target: that of f.
func (p *picture) smoke(r draw.Rect, v *View, t *watchstat.Target, n int, f watchstat.Figure) {
	p.Grid.Target(r, onChart{})
	data := smoke.Data{Figure: charted(f), Baseline: t.View.Rows[f].Base.V,
		Changes: changes(&t.View, f), Linear: v.Linear, Version: v.Version<<8 | uint64(v.Selected)}
	data.Slots, data.From, data.To = slots(t.View.Past, f, v.Board.Every, v.Now)
	c, in := &p.charts[n], r.Inner()
	c.Draw(&p.Canvas, in, &data)
	legend, text := c.Legend(&p.Canvas, &data), say.WatchTypical(t, f)
	title := format.Join(" ─ ", f.Label(), format.Name(label(v, t, ""), nameW))
	title = format.Join(" ─ ", title, format.If(draw.Width(title)+draw.Width(text)+draw.Width(legend)+12 <= r.W, text))
	p.Box(r, themes.Border, title, legend)
	if len(data.Slots) == 0 {
		p.Grid.Center(in.X+smoke.AxisWidth, in.Y+in.H/2, in.W-smoke.AxisWidth, "the first probe runs", p.Glyphs, themes.Dim)
	}
}

func known(r *watchstat.Row) bool { return r.Base.OK || r.Now.OK }

// phases compares every known figure with the baseline.
func (p *picture) phases(r draw.Rect, v *View, t *watchstat.Target) {
	title := "against the baseline"
	if c := t.View.Change; t.View.Suspicion == nil && c != nil && c.Ended.IsZero() {
		title = "since " + say.HistoryMoment(c.Since, v.Now) + " UTC, " + title
	}
	right := say.WatchFalseAlarms(&t.View)
	if v := &t.View; v.N > 0 {
		of := format.Join(" ", sanitize.Line(v.Baseline, nameW), "of", format.Plural(v.N, "probe", "probes"))
		title = format.Join(" ", title, format.If(draw.Width(title)+draw.Width(of)+draw.Width(right)+9 <= r.W, of))
	}
	in := p.Box(r, themes.Border, title, right)
	l := p.Row(in, 0)
	l.Skip(14)
	l.Field(themes.Dim, "baseline", format.DurationWidth+2)
	l.Field(themes.Dim, "now", format.DurationWidth+2)
	l.Skip(3)
	l.Cut(themes.Dim, "change")
	y := 0
	for _, row := range pick.All(t.View.Rows[:]) {
		if !known(row) {
			continue
		}
		y++
		l := p.Row(in, y)
		l.Slot(themes.Text, row.Figure.Label(), 14)
		write := format.Either(row.Figure == watchstat.Failures, format.Percent, format.Ms)
		now := format.Known(row.Now, write)
		if row.Figure == watchstat.Failures && row.Now.OK {
			now = say.FailedOf(int(row.Now.V*float64(row.Now.N)+0.5), row.Now.N)
		}
		l.Field(themes.Dim, format.Known(row.Base, write), format.DurationWidth+2)
		l.Field(themes.Text, now, format.DurationWidth+2)
		l.Skip(3)
		l.Cut(rowRole(t, row.Figure, themes.Dim), say.WatchChange(row))
	}
}
