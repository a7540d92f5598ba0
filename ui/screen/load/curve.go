package load

import (
	"slices"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
)

// chartPanel draws one of the charts in a box, with what its axes are above
// and what its marks mean below.
func (s *Screen) chartPanel(p *canvas, r draw.Rect, k Kind) {
	if r.Empty() {
		return
	}
	s.place("chart", r)
	in := p.Box(r, themes.Border, titles[k], draw.Either(p.v.Log, "log", "linear"))
	if in.H < chart.LeastH+1 {
		return
	}
	l := p.Row(in, 0)
	left, right := heads[k][0], heads[k][1]
	role := themes.PerUser
	if k == Frontier {
		role = themes.InTotal
	}
	l.Write(role, left)
	if right != "" && l.Left() > draw.Width(right) {
		p.Grid.Right(in.Right(), in.Y, right, themes.InTotal, draw.Width(right))
	}
	plot := draw.Rect{X: in.X, Y: in.Y + 1, W: in.W, H: in.H - 1}
	if in.H >= 10 {
		plot.H--
		s.legend(p, p.Row(in, in.H-1), k)
	}
	n := &s.now
	version := n.version*2 + uint64(k)<<60
	if p.v.Log {
		version++
	}
	s.charts[k].Draw(p.Grid, plot, p.Glyphs, version, func(to *chart.Plot) {
		switch k {
		case Frontier:
			s.frontier(p, to)
		case Timeline:
			s.timeline(p, to)
		default:
			s.curve(p, to)
		}
	})
	if len(n.chosen) == 0 && k != Timeline || k == Timeline && len(n.view.Series) == 0 {
		p.Grid.Center(plot.X, plot.Y+plot.H/3, plot.W, p.Chrome(s.nothing(p)), p.Glyphs, themes.Dim)
	}
}

var titles = [Kinds]string{"per-user falls, aggregate rises", "frontier: in all against each", "over time"}

var heads = [Kinds][2]string{{"each, tok/s", "in all, tok/s"}, {"in all, tok/s", ""}, {"each, tok/s", "in all, tok/s"}}

// nothing says why a chart is empty.
func (s *Screen) nothing(p *canvas) string {
	switch v := &p.v.Load; {
	case v.Broken != "" || s.begun(p) && !v.Running:
		return "no request ended with figures"
	case s.begun(p):
		return "figures come as requests end"
	}
	return "space begins"
}

// legend is what the marks of a chart mean, as much of it as there is room for.
func (s *Screen) legend(p *canvas, l line, k Kind) {
	if k == Timeline {
		l.Whole(themes.Dim, "╎ the number of users changes")
		return
	}
	const marks, goal = "● steady  ○ not yet", "  ┄ objective"
	need := len(goal) // of its runes, one is three bytes long: two to spare
	if !s.speedGoal() {
		need = 0
	}
	name, short := "each, tok/s   ", "each   "
	if k == Curve {
		name, short = "users, doubling   ", "users   "
	}
	if l.Left() < len(name)+draw.Width(marks)+need {
		name = short
	}
	l.Whole(themes.Dim, name)
	l.Whole(themes.Dim, marks)
	if need > 0 {
		if p.Glyphs.ASCII { // the sign that the chart draws it with
			l.Whole(themes.Warn, "  - objective")
		} else {
			l.Whole(themes.Warn, goal)
		}
	}
	if k == Frontier {
		l.Whole(themes.Dim, "  numbers: users")
	}
	if s.now.knee > 0 && k == Curve {
		l.Whole(themes.Dim, "  ╎ knee: from there on more users add little")
	}
}

// speedGoal reports whether an objective is drawn as a line.
func (n *Screen) speedGoal() bool {
	return slices.ContainsFunc(n.now.view.SLOs, func(o metrics.Objective) bool { _, ok := speedLimit(o); return ok })
}

// curve is the seesaw: each and in all over the number of users.
func (s *Screen) curve(p *canvas, plot *chart.Plot) {
	n := &s.now
	users := p.v.Want
	var each, total extent
	for i := range n.points {
		if q := &n.points[i]; q.Users > 0 {
			users = max(users, q.Users)
			each.span(q.Speed)
			total.span(q.Total)
		}
	}
	plot.X.Doublings(256, users)
	plot.LeftRole, plot.RightRole = themes.PerUser, themes.InTotal
	for _, o := range n.view.SLOs {
		if v, ok := speedLimit(o); ok {
			each.near(v)
			plot.Rules = append(plot.Rules, chart.Rule{At: v, Role: themes.Warn, Label: p.Join("objective ", p.number(v), " tok/s each"), Short: p.number(v)})
		}
	}
	scales(p, plot, each, total)
	if n.breaksAt > 0 {
		plot.Rules = append(plot.Rules, chart.Rule{At: float64(n.breaksAt), Vertical: true, Role: hot, Label: p.Join(n.breaks, " breaks")})
	}
	if n.knee > 0 && n.knee != n.breaksAt {
		plot.Rules = append(plot.Rules, chart.Rule{At: float64(n.knee), Vertical: true, Role: themes.Dim, Label: p.Join("knee ", p.Int(n.knee))})
	}
	for _, right := range [...]bool{false, true} {
		old := plot.Line(themes.Faint)
		old.Loose, old.Right = true, right
		for i := range n.points {
			if q := &n.points[i]; q.Users > 0 {
				add(old, q, p.Glyphs.Bullet)
			}
		}
	}
	for _, right := range [...]bool{true, false} {
		path := plot.Line(themes.PerUser)
		if path.Right = right; right {
			path.Role = themes.InTotal
		}
		for _, i := range n.chosen {
			add(path, &n.points[i], s.mark(p, &n.points[i]))
		}
		s.named(plot, path)
	}
	if q := &n.view.Live; n.live && q.Users > 0 && n.view.Running {
		// Where the load is now, beside what was steady there before.
		for _, right := range [...]bool{true, false} {
			now := plot.Line(themes.PerUser)
			if now.Loose, now.Right = true, right; right {
				now.Role = themes.InTotal
			}
			add(now, q, s.mark(p, q))
		}
	}
}

// named writes which of the two a path is: each at its first point, in all at
// its last, or at the nearest to it that has room.
func (s *Screen) named(plot *chart.Plot, path *chart.Line) {
	for i := range path.Points {
		q, text := &path.Points[i], "each"
		if path.Right {
			q, text = &path.Points[len(path.Points)-1-i], "in all"
		}
		plot.Notes = append(plot.Notes, chart.Note{X: q.X, Y: q.Y, Right: path.Right, Role: path.Role, Text: text, Else: i > 0})
	}
}

// extent is the range of known values above 0; both ends are 0 without any.
type extent struct{ low, top float64 }

func (e *extent) span(v metrics.Value) {
	if !v.OK || !(v.V > 0) {
		return
	}
	e.top = max(e.top, v.V)
	if e.low == 0 || v.V < e.low {
		e.low = v.V
	}
}

// near extends the range to v, unless v is far outside.
func (e *extent) near(v float64) {
	if v < 2.5*e.top {
		e.top = max(e.top, v)
	}
	if v > e.low/2.5 {
		e.low = min(e.low, v)
	}
}

// scale makes a vertical axis for them.
func (e *extent) scale(p *canvas, a *chart.Axis) {
	if p.v.Log && e.low > 0 {
		a.Decades(e.low, e.top)
	} else {
		a.Linear(e.top)
	}
}

// headroom is the smallest ratio of the aggregate scale to the per-user
// scale. For one user both figures are equal; the ratio keeps one line above
// the other. The scale then does not change while the first users join.
const headroom = 8

// scales makes the two vertical axes of a chart of both.
func scales(p *canvas, plot *chart.Plot, each, total extent) {
	if each.top == 0 { // to begin with
		each.top, total.top = 100, max(total.top, 1000)
	}
	total.top = max(total.top, headroom*each.top)
	each.scale(p, &plot.Left)
	total.scale(p, &plot.Right)
}

// add adds what a point says of the line: in all on the right axis, else each.
func add(l *chart.Line, q *metrics.Point, mark rune) {
	v := q.Speed
	if l.Right {
		v = q.Total
	}
	if v.OK {
		l.Points = append(l.Points, chart.Point{X: float64(q.Users), Y: v.V, Mark: mark})
	}
}

// mark is solid once a point is steady.
func (s *Screen) mark(p *canvas, q *metrics.Point) rune {
	if q.Steady {
		return p.Glyphs.Dot
	}
	return p.Glyphs.Ring
}
