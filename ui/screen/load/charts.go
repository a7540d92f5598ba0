package load

import (
	"slices"

	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// charts draws the charts of the load, one for each Kind.
type charts struct {
	drawn [Kinds]chart.Chart
	blank [Kinds]bool // no line of it had a value above 0, when it was drawn
}

// kinds are the charts: their titles, which that over users has by its figures, what
// their axes are, in the colors of these, and what fills them.
var kinds = [Kinds]struct {
	title       string
	left, right axisName
	fill        func(*charts, *canvas, *chart.Plot)
}{
	Curve: {"", perUser, aggregate,
		func(s *charts, p *canvas, to *chart.Plot) { s.curve(p, to, &p.now.closed) }},
	Frontier: {"frontier: aggregate over per user", aggregate, axisName{}, (*charts).frontier},
	Timeline: {"over time", perUser, aggregate, (*charts).timeline},
	Rates: {"over requests a second", perUser, aggregate,
		func(s *charts, p *canvas, to *chart.Plot) { s.curve(p, to, &p.now.rates) }},
	Queue: {"queue: arrive and end over time", axisName{"arrive, end: req/s", themes.Accent},
		axisName{"under way + wait", themes.Warn}, (*charts).queue},
	Waits: {"TTFT over time", axisName{"TTFT, ms", themes.PerUser}, axisName{}, (*charts).waits},
	Lengths: {lengthsTitle, axisName{"prefill, tok/s", themes.Prefill}, axisName{"decode per user, tok/s", themes.Decode},
		func(_ *charts, p *canvas, to *chart.Plot) { p.now.lengths.plot(p, to, p.v.logs(&p.now.lengths)) }},
}

// axisName is what a vertical axis is, in its color.
type axisName struct {
	text string
	role themes.Role
}

var (
	perUser   = axisName{"per user, tok/s", themes.PerUser}
	aggregate = axisName{"aggregate, tok/s", themes.Aggregate}
)

// chartPanel draws one of the charts in a box, with what its axes are above and what
// its marks mean below. That of the lengths has rows of its own below.
func (s *charts) chartPanel(p *canvas, r draw.Rect, k Kind) {
	if r.Empty() {
		return
	}
	p.Grid.Target(r, onChart)
	n, logs, title := p.now, p.v.Log, kinds[k].title
	switch k {
	case Lengths:
		logs, title = p.v.logs(&n.lengths), n.lengths.title(p)
	case Curve:
		title = draw.FirstFit(r.W-14, n.title[:]...) // beside it stands the scale
	}
	in := p.Box(r, themes.Border, title, format.If(!p.v.idle(), format.Either(logs, "log", "linear")))
	if in.H < chart.LeastH+1 {
		return
	}
	l := p.Row(in, 0)
	left, right := kinds[k].left, kinds[k].right
	l.Write(left.role, left.text)
	if right.text != "" && l.Left() > draw.Width(right.text) {
		p.Grid.Right(in.Right(), in.Y, right.text, right.role, draw.Width(right.text))
	}
	below, table := 0, 0
	switch {
	case k == Lengths && !p.v.idle():
		below, table = min(max(in.H-8, 0), 3), n.lengths.tableRows(in.W, in.H)
	case in.H >= 10:
		below = 1
	}
	plot := draw.Rect{X: in.X, Y: in.Y + 1, W: in.W, H: in.H - 1 - below - table}
	version := format.Either(k == Lengths, n.lengths.version, n.version)
	if version = version*2 + uint64(k)<<60; logs {
		version++
	}
	s.drawn[k].Draw(p.Grid, plot, p.Glyphs, version, func(to *chart.Plot) {
		to.LeftRole, to.RightRole = left.role, right.role
		kinds[k].fill(s, p, to)
		s.blank[k] = !slices.ContainsFunc(to.Lines, func(l chart.Line) bool {
			return slices.ContainsFunc(l.Points, func(q chart.Point) bool { return q.Y > 0 })
		})
		if s.blank[k] {
			unscaled(to, k)
		}
	})
	inside := s.drawn[k].Inside(plot)
	if why := s.nothing(p, k, inside.W); why != "" {
		p.Middle(inside, themes.Dim, why)
	}
	for i := range below {
		l := p.Row(in, 1+plot.H+i)
		if k == Lengths && !p.v.idle() {
			[...]func(*lengths, *canvas, *line){(*lengths).legend, (*lengths).fitLine, (*lengths).scope}[i](&n.lengths, p, &l)
		} else {
			s.legend(p, &l, k)
		}
	}
	if table > 0 {
		n.lengths.table(p, draw.Rect{X: in.X, Y: in.Y + in.H - table, W: in.W, H: table})
	}
}

// companions are the charts beside the first one on a large screen.
func companions(v *View) (second, third Kind) {
	k := v.Kind % Kinds
	if v.Replay != nil {
		all := [...]Kind{format.Either(v.Open, Rates, Curve), Frontier, Lengths}
		i := max(slices.Index(all[:], k), 0)
		return all[(i+1)%len(all)], all[(i+2)%len(all)]
	}
	switch over := format.Either(v.Open, Rates, Curve); k {
	case Rates:
		return Queue, Frontier
	case Queue:
		return Rates, Frontier
	case Timeline:
		return over, Frontier
	case Frontier, Waits, Lengths:
		return Timeline, over
	}
	return Frontier, Timeline
}

// course is the one that a chart of that kind draws.
func (n *figures) course(k Kind) *course {
	switch k {
	case Curve:
		return &n.closed
	case Rates:
		return &n.rates
	}
	return n.present
}

func (k Kind) timed() bool { return k == Timeline || k == Queue || k == Waits }

func (n *figures) empty(k Kind) bool {
	switch {
	case k == Lengths:
		return n.lengths.by.Requests == 0
	case k.timed():
		return len(n.view.Series) == 0
	}
	return len(n.course(k).chosen) == 0
}

// nothing says why a chart is empty, in room columns where that is possible; "" for one
// that is not.
func (s *charts) nothing(p *canvas, k Kind, room int) string {
	if !p.now.empty(k) {
		return ""
	}
	if why := p.now.lengths.nothing(p); k == Lengths && why != "" {
		return why
	}
	switch v := &p.v.Load; {
	case p.v.idle() && k.timed():
		return "a point for each second"
	case p.v.idle() && k == Lengths:
		return "a point for each request"
	case p.v.idle():
		return format.Either(p.v.Open, "a point for each rate", "a point for each number of users")
	case p.v.Replay != nil && k == Lengths:
		return "no recorded request has the length of its prompt"
	case p.v.Replay != nil:
		return "no window of this load ended with figures"
	case v.Broken.Code != "" || p.v.begun() && !v.Running:
		return "no request ended with figures"
	case v.Holding && v.InFlight == 0:
		return "on hold: no request has ended with figures"
	case v.Running && v.Done == 0 && v.Failed > 0:
		return "no request has ended well"
	case v.Done > 0 && k != Lengths:
		return "still measuring"
	}
	return draw.FirstFit(room, "waiting for the first request to finish", "no request has ended yet")
}

// legend is what the marks of a chart mean, as much of it as there is room for; of a
// blank one the name of its axis.
func (s *charts) legend(p *canvas, l *line, k Kind) {
	switch {
	case s.blank[k] && k.timed():
		return
	case k == Queue:
		l.Fit(part("arrive above end: the queue grows", 0),
			brief("   ╎ a change: users or rate", "   ╎ a change", 1))
		return
	case k == Waits:
		missing := p.missingWaits()
		l.Fit(part(format.Either(missing == "", "percentiles of the ", ""), 2),
			part("first tokens of the last 30 s", 0), part(missing, 1))
		return
	case k == Timeline && len(p.now.view.Marks) > 0:
		l.Fit(brief("╎ a change: users, rate, workload, model, endpoint or objectives", "╎ a change", 0))
		return
	case k == Timeline:
		l.Whole(themes.Dim, format.Either(p.now.open(), "╎ the rate changes", "╎ the number of users changes"))
		return
	}
	c := p.now.course(k)
	name, short := "users, doubling   ", "users   "
	switch k {
	case Lengths: // before a load
		name, short = "prompt tokens", "tokens"
	case Rates:
		name, short = "requests a second   ", "req/s   "
	case Frontier:
		name, short = "per user, tok/s   ", "per user   "
	}
	if s.blank[k] {
		l.Fit(brief(name, short, 0))
		return
	}
	numbers := format.If(k == Frontier, format.Either(c.open, "  numbers: req/s", "  numbers: users"))
	knee := format.If(k == Curve && p.now.knee > 0, "  ╎ knee: beyond it a user adds less")
	hollow, guess, goal, earlier := format.Either(p.now.view.Live.Ramp != nil, "not steady", "not yet"), "", "", ""
	marks, close := p.Join("● steady  ○ ", hollow), p.Join("● steady ○ ", hollow)
	if len(c.down) > 0 {
		marks = p.Join(string(p.Glyphs.Dot), string(p.Glyphs.Ring), " up  ",
			string(p.Glyphs.Back), string(p.Glyphs.BackRing), " coming down")
		close = ""
	} else if c.guessed {
		guess = p.Join("  ", p.guess(), "not measured")
	}
	for _, o := range p.now.view.SLOs {
		if _, ok := speedLimit(o); ok { // the chart draws another sign in ASCII
			goal = format.Either(p.Glyphs.ASCII, "- objective", "┄ objective")
		}
	}
	if len(p.now.works) > 0 {
		earlier = format.Either(l.Left() >= 60, "  dim: before a change", "  dim: earlier")
	}
	l.Fit(brief(name, short, 4), brief(marks, close, 0), part(guess, 2),
		part(format.If(goal != "", "  "), 3), draw.Part{Role: themes.Warn, Text: goal, Rank: 3},
		part(earlier, 1), part(numbers, 6), part(knee, 7))
}

// guess is the sign of a line through what was not measured.
func (p *canvas) guess() string { return format.Either(p.Glyphs.ASCII, ". . ", "⠤ ⠤ ") }

// unscaled takes from a chart what only figures give it: the numbers of its axes, but
// for those of the time and of the load, and the objectives that lie on them.
func unscaled(to *chart.Plot, k Kind) {
	to.Left.Ticks, to.Right.Ticks = to.Left.Ticks[:0], to.Right.Ticks[:0]
	if !k.timed() && k != Curve && k != Rates {
		to.X.Ticks = to.X.Ticks[:0]
	}
	to.Rules = slices.DeleteFunc(to.Rules, func(r chart.Rule) bool { return !r.Vertical || !k.timed() })
}
