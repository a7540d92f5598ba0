package load

import (
	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/cell"
	"tokscope/ui/chart"
)

// chartPanel draws one of the charts in a box, with what its axes are above
// and what its marks mean below.
func (s *Screen) chartPanel(p *pen, r cell.Rect, k Kind) {
	if r.Empty() {
		return
	}
	s.place("chart", r)
	in := p.box(r, titles[k], either(p.v.Log, "log", "linear"))
	if in.H < chart.LeastH+1 {
		return
	}
	l := p.row(in, 0)
	left, right := heads[k][0], heads[k][1]
	role := themes.PerUser
	if k == Frontier {
		role = themes.InTotal
	}
	l.put(role, left)
	if right != "" && l.left() > cell.Width(right) {
		p.g.Right(in.Right(), in.Y, right, themes.InTotal, cell.Width(right))
	}
	plot := cell.Rect{X: in.X, Y: in.Y + 1, W: in.W, H: in.H - 1}
	if in.H >= 10 {
		plot.H--
		s.legend(p, p.row(in, in.H-1), k)
	}
	n := &s.now
	version := n.version*2 + uint64(k)<<60
	if p.v.Log {
		version++
	}
	s.charts[k].Draw(p.g, plot, p.gl, version, func() *chart.Plot {
		switch k {
		case Frontier:
			return s.frontier(p)
		case Timeline:
			return s.timeline(p)
		}
		return s.curve(p)
	})
	if len(n.chosen) == 0 && k != Timeline || k == Timeline && len(n.view.Series) == 0 {
		p.g.Center(plot.X, plot.Y+plot.H/3, plot.W, p.chrome(s.nothing(p)), p.gl, themes.Dim)
	}
}

var titles = [Kinds]string{"per-user falls, aggregate rises", "frontier: in all against each", "over time"}

var heads = [Kinds][2]string{{"each, tok/s", "in all, tok/s"}, {"in all, tok/s", ""}, {"each, tok/s", "in all, tok/s"}}

// nothing says why a chart is empty.
func (s *Screen) nothing(p *pen) string {
	if s.begun(p) {
		return "figures come as requests end"
	}
	return "space begins"
}

func (s *Screen) legend(p *pen, l line, k Kind) {
	switch k {
	case Curve:
		l.whole(themes.Dim, "users, doubling   ")
	case Frontier:
		l.whole(themes.Dim, "each, tok/s   ")
	}
	if k != Timeline {
		l.whole(themes.Dim, "● steady  ○ not yet")
		for _, o := range s.now.view.SLOs {
			if _, ok := speedLimit(o); ok {
				l.whole(themes.Warn, "  ┄ objective")
				return
			}
		}
		return
	}
	l.whole(themes.Dim, "╎ the number of users changes")
}

// curve is the seesaw: each and in all over the number of users.
func (s *Screen) curve(p *pen) *chart.Plot {
	n := &s.now
	top := p.v.Want
	room := func(n int) []chart.Point { return make([]chart.Point, 0, n) }
	each := chart.Line{Role: themes.PerUser, Points: room(len(n.chosen))}
	total := chart.Line{Role: themes.InTotal, Right: true, Points: room(len(n.chosen))}
	old := [2]chart.Line{{Role: themes.Faint, Loose: true}, {Role: themes.Faint, Loose: true, Right: true}}
	old[0].Points, old[1].Points = room(len(n.points)), room(len(n.points))
	var eachTop, totalTop, eachLow, totalLow float64
	seen := func(q *metrics.LoadPoint) {
		top = max(top, q.Users)
		span(&eachLow, &eachTop, q.Speed)
		span(&totalLow, &totalTop, q.Total)
	}
	for i := range n.points {
		q := &n.points[i]
		if q.Users <= 0 {
			continue
		}
		seen(q)
		add(&old[0], q, q.Speed, p.gl.Bullet)
		add(&old[1], q, q.Total, p.gl.Bullet)
	}
	for _, i := range n.chosen {
		q := &n.points[i]
		add(&each, q, q.Speed, s.mark(p, q))
		add(&total, q, q.Total, s.mark(p, q))
	}
	plot := &chart.Plot{X: chart.Doublings(256, top), LeftRole: themes.PerUser, RightRole: themes.InTotal}
	for _, o := range n.view.SLOs {
		if v, ok := speedLimit(o); ok {
			if v < 2.5*eachTop {
				eachTop = max(eachTop, v)
			}
			plot.Rules = append(plot.Rules, chart.Rule{At: v, Role: themes.Warn, Label: p.join("objective ", p.number(v), " tok/s each"), Short: p.number(v)})
		}
	}
	if eachTop == 0 { // a scale to begin with
		eachTop, totalTop = 100, 1000
	}
	plot.Left = s.scale(p, eachLow, eachTop)
	right := s.scale(p, totalLow, totalTop)
	plot.Right = &right
	if n.breaksAt > 0 {
		plot.Rules = append(plot.Rules, chart.Rule{At: float64(n.breaksAt), Vertical: true, Role: hot, Label: p.join(n.breaks, " breaks")})
	}
	if n.knee > 0 && n.knee != n.breaksAt {
		plot.Rules = append(plot.Rules, chart.Rule{At: float64(n.knee), Vertical: true, Role: themes.Dim, Label: p.join("knee ", p.int(n.knee))})
	}
	plot.Lines = []chart.Line{old[0], old[1], total, each}
	if q := &n.view.Live; n.live && q.Users > 0 && n.view.Running {
		// Where the load is now, beside what was steady there before.
		now := [2]chart.Line{{Role: themes.PerUser, Loose: true}, {Role: themes.InTotal, Loose: true, Right: true}}
		add(&now[0], q, q.Speed, s.mark(p, q))
		add(&now[1], q, q.Total, s.mark(p, q))
		plot.Lines = append(plot.Lines, now[1], now[0])
	}
	if len(each.Points) > 0 {
		a, b := each.Points[0], total.Points
		plot.Notes = append(plot.Notes, chart.Note{X: a.X, Y: a.Y, Role: themes.PerUser, Text: "each"})
		if len(b) > 0 {
			e := b[len(b)-1]
			plot.Notes = append(plot.Notes, chart.Note{X: e.X, Y: e.Y, Right: true, Role: themes.InTotal, Text: "in all"})
		}
	}
	return plot
}

// scale is a vertical axis for values from low to top.
func (s *Screen) scale(p *pen, low, top float64) chart.Axis {
	if p.v.Log && low > 0 {
		return chart.Decades(low, top)
	}
	return chart.Linear(top)
}

// span widens low..top by a known value above 0.
func span(low, top *float64, v metrics.Value) {
	if !v.OK || !(v.V > 0) {
		return
	}
	*top = max(*top, v.V)
	if *low == 0 || v.V < *low {
		*low = v.V
	}
}

func add(l *chart.Line, q *metrics.LoadPoint, v metrics.Value, mark rune) {
	if v.OK {
		l.Points = append(l.Points, chart.Point{X: float64(q.Users), Y: v.V, Mark: mark})
	}
}

// mark is solid once a point is steady.
func (s *Screen) mark(p *pen, q *metrics.LoadPoint) rune {
	if q.Steady {
		return p.gl.Dot
	}
	return p.gl.Ring
}

func either(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}
