package watch

import (
	"tokscope/metrics"
	"tokscope/metrics/watchstat"
	"tokscope/themes"
	"tokscope/ui/chart/smoke"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// picture draws the screen. It belongs to one goroutine.
type picture struct {
	draw.Canvas
	chart smoke.Chart
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
	phasesH    = 11
	boxesFrom  = 16 // rows and, times four, columns: below, rows without boxes
	mostRows   = 8  // of the targets
	nameW      = 24
	narrow     = 12
	wide       = 13
)

// Draw paints v into r. It covers everything in r and touches nothing outside. Any
// size works.
func (p *picture) Draw(g *draw.Grid, r draw.Rect, v *View) {
	if r.Empty() {
		return
	}
	defer g.Clip(r)()
	g.Fill(r, ' ', themes.Text)
	p.Begin(g, v.Glyphs)
	if len(v.Board.Targets) == 0 {
		return
	}
	head, body := r.SplitV(min(sentenceH, r.H))
	t := &v.Board.Targets[v.Selected]
	role := themes.Strong
	if t.View.State == watchstat.Changed {
		role = themes.Bad
	}
	p.Wrapped(head.Inset(1, 0), 0, sentenceH, role, sanitize.Line(say.WatchSummary(chosen(v), v.Now), 300))
	if r.H < boxesFrom || r.W < 4*boxesFrom {
		p.rows(body, v)
		return
	}
	top, rest := body.SplitV(min(len(v.Board.Targets), mostRows) + 3)
	p.targets(top, v)
	if r.H >= phasesFrom {
		rest, body = rest.SplitV(rest.H - phasesH)
		p.phases(body, t)
	}
	p.smoke(rest, v, t)
}

// chosen returns the board with the selected target alone: the sentence is its own.
func chosen(v *View) *watchstat.Board {
	b := v.Board
	b.Targets = b.Targets[v.Selected : v.Selected+1]
	return &b
}

// stateRole is the color of a state; its word stands beside it.
func stateRole(t *watchstat.Target) themes.Role {
	switch {
	case t.View.State == watchstat.Changed:
		return themes.Bad
	case t.Fault != nil || t.View.State == watchstat.Daily:
		return themes.Warn
	}
	return themes.Dim
}

// columns are the widths of the table of targets: the name, and as many figures as
// leave room for the failures and the state.
type columns struct{ name, figures, figure, failed int }

func columnsOf(w int) columns {
	switch {
	case w < 60:
		return columns{name: max(min(w-2-narrow-16, nameW), 8), figures: 1, figure: narrow}
	case w < 100:
		return columns{name: 16, figures: min((w-2-16-12-20)/narrow, len(figures)), figure: narrow, failed: 12}
	}
	return columns{name: nameW, figures: min((w-2-nameW-12-22)/wide, len(figures)), figure: wide, failed: 12}
}

// targets is the table of all of them, as many as fit around the selected one.
func (p *picture) targets(r draw.Rect, v *View) {
	right := "every " + v.Board.Every.String()
	if day := sanitize.Line(say.WatchDay(&v.Board), 100); day != "" && draw.Width(day)+draw.Width(right)+20 <= r.W {
		right = day + ", " + right
	}
	in := p.Box(r, themes.Border, "targets", right)
	c := columnsOf(in.W)
	l := p.Row(in, 0)
	l.Skip(2)
	l.Slot(themes.Dim, "target", c.name)
	for _, f := range figures[:c.figures] {
		l.Field(themes.Dim, f.Label(), c.figure)
	}
	l.Field(themes.Dim, "failed", c.failed)
	l.Skip(2)
	l.Cut(themes.Dim, "state")
	p.rows(draw.Rect{X: in.X, Y: in.Y + 1, W: in.W, H: in.H - 1}, v)
}

// rows are the targets, one a row.
func (p *picture) rows(r draw.Rect, v *View) {
	c := columnsOf(r.W)
	first := max(0, min(v.Selected-r.H/2, len(v.Board.Targets)-r.H))
	for i := first; i < len(v.Board.Targets) && i-first < r.H; i++ {
		t := &v.Board.Targets[i]
		p.Grid.Target(draw.Rect{X: r.X, Y: r.Y + i - first, W: r.W, H: 1}, onTarget(i))
		l := p.Row(r, i-first)
		mark, name := " ", themes.Text
		if i == v.Selected {
			mark, name = "▸", themes.Strong
		}
		l.Slot(themes.Accent, mark, 2)
		from := l.X
		label := p.Line(l.X, l.Y, min(c.name-1, l.Left()))
		label.Raw(name, sanitize.Line(t.Label, 2*nameW))
		l.To(from + c.name)
		values := watchstat.ValuesOf(&t.View.Last)
		for _, f := range figures[:c.figures] {
			role := themes.Text
			if t.View.Rows[f].Changed && t.View.State == watchstat.Changed {
				role = themes.Bad
			}
			l.Field(role, known(values[f]), c.figure)
		}
		if c.failed > 0 {
			l.Field(themes.Text, format.Count(t.View.Failed)+" of "+format.Count(t.View.Probes), c.failed)
		}
		l.Skip(2)
		l.Cut(stateRole(t), word(t))
		l.Whole(themes.Dim, " · "+say.WatchUse(t))
	}
}

// word is the state of a target in a few words.
func word(t *watchstat.Target) string {
	switch {
	case t.Fault != nil:
		return "failed: " + string(t.Fault.Kind)
	case t.Skip.Code != watchstat.NotSkipped:
		return "paused until " + t.Skip.Until.UTC().Format("15:04")
	case t.View.State == watchstat.Learning:
		return "learning " + format.Count(t.View.Good) + " of " + format.Count(t.View.Needs)
	}
	return say.WatchState(t.View.State)
}

func known(v metrics.Value) string { return format.Known(v, format.Ms) }

// smoke is the chart of the selected target.
func (p *picture) smoke(r draw.Rect, v *View, t *watchstat.Target) {
	p.Grid.Target(r, onChart{})
	row := &t.View.Rows[v.Figure]
	title := v.Figure.Label() + " " + sanitize.Line(t.Label, nameW)
	legend := smoke.Legend(&p.Canvas, row.Base.OK)
	if text := say.WatchTypical(t, v.Figure); text != "" &&
		draw.Width(title)+draw.Width(text)+draw.Width(legend)+11 <= r.W {
		title += " ─ " + text
	}
	in := p.Box(r, themes.Border, title, legend)
	data := smoke.Data{Figure: charted(v.Figure), Baseline: baseline(row),
		Changes: changes(&t.View, v.Figure), Linear: v.Linear, Version: v.Version<<8 | uint64(v.Selected)}
	data.Slots, data.From, data.To = slots(t.View.Past, v.Figure, v.Board.Every, v.Now)
	p.chart.Draw(&p.Canvas, in, &data)
	if len(data.Slots) == 0 {
		p.Grid.Center(in.X+smoke.AxisWidth, in.Y+in.H/2, in.W-smoke.AxisWidth, "the first probe runs", p.Glyphs, themes.Dim)
	}
}

// phases compares every figure with the baseline.
func (p *picture) phases(r draw.Rect, t *watchstat.Target) {
	title := "against the baseline"
	c := t.View.Change
	if c != nil && c.Ended.IsZero() {
		title = "since " + c.Since.UTC().Format("15:04") + " UTC, against the baseline"
	}
	right := say.WatchFalseAlarms(&t.View)
	if v := &t.View; v.N > 0 {
		of := " of " + format.Plural(v.N, "probe", "probes")
		if v.Baseline != "" {
			of = " " + sanitize.Line(v.Baseline, nameW) + of
		}
		if draw.Width(title)+draw.Width(of)+draw.Width(right)+8 <= r.W {
			title += of
		}
	}
	in := p.Box(r, themes.Border, title, right)
	l := p.Row(in, 0)
	l.Skip(14)
	l.Field(themes.Dim, "baseline", format.DurationWidth+2)
	l.Field(themes.Dim, "now", format.DurationWidth+2)
	l.Skip(3)
	l.Cut(themes.Dim, "change")
	for i := range t.View.Rows {
		row := &t.View.Rows[i]
		l := p.Row(in, i+1)
		l.Slot(themes.Text, row.Figure.Label(), 14)
		if row.Figure == watchstat.Failures {
			l.Field(themes.Dim, format.Known(row.Base, format.Percent), format.DurationWidth+2)
			l.Field(themes.Text, format.Known(row.Now, format.Percent), format.DurationWidth+2)
		} else {
			l.Field(themes.Dim, known(row.Base), format.DurationWidth+2)
			l.Field(themes.Text, known(row.Now), format.DurationWidth+2)
		}
		l.Skip(3)
		role, text := themes.Dim, say.WatchChange(row)
		if row.Changed {
			role = themes.Bad
		}
		l.Cut(role, text)
	}
}

// DrawView paints v into r as a screen that has just been opened does. Any size
// works.
func DrawView(g *draw.Grid, r draw.Rect, v *View) { new(picture).Draw(g, r, v) }
