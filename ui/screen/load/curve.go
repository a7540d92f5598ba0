package load

import (
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// charts draws the charts of the load's path, one for each Kind.
type charts struct {
	drawn [Kinds]chart.Chart
}

// chartPanel draws one of the charts in a box, with what its axes are above
// and what its marks mean below.
func (s *charts) chartPanel(p *canvas, r draw.Rect, k Kind) {
	if r.Empty() {
		return
	}
	p.Grid.Target(r, onChart)
	if k == Lengths {
		s.lengthPanel(p, r)
		return
	}
	in := p.Box(r, themes.Border, titles[k], draw.Either(p.v.Log, "log", "linear"))
	if in.H < chart.LeastH+1 {
		return
	}
	l := p.Row(in, 0)
	left, right := heads[k][0], heads[k][1]
	role := themes.PerUser
	if k == Frontier {
		role = themes.Aggregate
	}
	l.Write(role, left)
	if right != "" && l.Left() > draw.Width(right) {
		p.Grid.Right(in.Right(), in.Y, right, themes.Aggregate, draw.Width(right))
	}
	plot := draw.Rect{X: in.X, Y: in.Y + 1, W: in.W, H: in.H - 1}
	if in.H >= 10 {
		plot.H--
		s.legend(p, p.Row(in, in.H-1), k)
	}
	n := p.now
	version := n.version*2 + uint64(k)<<60
	if p.v.Log {
		version++
	}
	s.drawn[k].Draw(p.Grid, plot, p.Glyphs, version, func(to *chart.Plot) {
		switch k {
		case Frontier:
			s.frontier(p, to)
		case Timeline:
			s.timeline(p, to)
		case Queue:
			s.queue(p, to)
		case Waits:
			s.waits(p, to)
		default:
			s.curve(p, to, n.course(k))
		}
	})
	if len(n.course(k).chosen) == 0 && !k.timed() || k.timed() && len(n.view.Series) == 0 {
		p.middle(s.drawn[k].Inside(plot), themes.Dim, s.nothing(p, k))
	}
}

var titles = [Kinds]string{"per-user falls, aggregate rises", "frontier: aggregate over per user",
	"over time", "over requests a second", "queue: arrive and end over time",
	"TTFT over time", "over prompt length"}

var heads = [Kinds][2]string{{"per user, tok/s", "aggregate, tok/s"},
	{"aggregate, tok/s", ""}, {"per user, tok/s", "aggregate, tok/s"},
	{"per user, tok/s", "aggregate, tok/s"}, {"arrive, end: req/s", "under way + wait"},
	{"TTFT, ms", ""}, {"prefill, tok/s", "decode per user, tok/s"}}

// companions are the charts beside the first one on a large screen.
func companions(v *View) (second, third Kind) {
	k := v.Kind % Kinds
	if v.Replay != nil {
		all := [...]Kind{draw.Either(v.Open, Rates, Curve), Frontier, Lengths}
		i := max(slices.Index(all[:], k), 0)
		return all[(i+1)%len(all)], all[(i+2)%len(all)]
	}
	switch k {
	case Rates:
		return Queue, Frontier
	case Queue:
		return Rates, Frontier
	case Waits:
		return Timeline, Curve
	}
	return (k + 1) % Rates, (k + 2) % Rates
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

// timed reports whether the X axis of a chart is the time.
func (k Kind) timed() bool { return k == Timeline || k == Queue || k == Waits }

// nothing says why a chart is empty.
func (s *charts) nothing(p *canvas, k Kind) string {
	switch v := &p.v.Load; {
	case p.v.Replay != nil && k == Lengths:
		return "no recorded request has the length of its prompt"
	case p.v.Replay != nil:
		return "no window of this load ended with figures"
	case v.Broken.Code != "" || p.begun() && !v.Running:
		return "no request ended with figures"
	case k == Rates && v.Running && v.Rate <= 0:
		return "the arrows change to an open loop"
	case k == Curve && v.Running && v.Rate > 0:
		return "the arrows change to a closed loop"
	case v.Holding && v.InFlight == 0:
		return "on hold: no request has ended with figures"
	case v.Running && v.Done == 0 && v.Failed > 0:
		return "no request has ended well"
	case p.begun():
		return "waiting for the first request to finish"
	}
	return "space starts"
}

// legend is what the marks of a chart mean, as much of it as there is room for.
func (s *charts) legend(p *canvas, l line, k Kind) {
	marked := func(plain string) {
		if len(p.now.view.Marks) == 0 {
			l.Whole(themes.Dim, plain)
			return
		}
		_ = l.Whole(themes.Dim, "╎ a change: users, rate, workload, model, endpoint or objectives") ||
			l.Whole(themes.Dim, "╎ a change")
	}
	switch {
	case k == Queue:
		_ = l.Whole(themes.Dim, "arrive above end: the queue grows   ╎ a change: users or rate") || l.Whole(themes.Dim,
			"arrive above end: the queue grows   ╎ a change") || l.Whole(themes.Dim, "arrive above end: the queue grows")
		return
	case k == Waits:
		s.waitsLegend(p, l)
		return
	case k == Timeline && p.now.open():
		marked("╎ the rate changes")
		return
	case k == Timeline:
		marked("╎ the number of users changes")
		return
	}
	c := p.now.course(k)
	guess := "⠤ ⠤ "
	if p.Glyphs.ASCII {
		guess = ". . "
	}
	name, short, goal := "users, doubling   ", "users   ", "  ┄ objective"
	switch k {
	case Rates:
		name, short = "requests a second   ", "req/s   "
	case Frontier:
		name, short = "per user, tok/s   ", "per user   "
	}
	if !p.now.speedGoal() {
		goal = ""
	}
	hollow := "not yet"
	if p.now.view.Live.Ramp != nil {
		hollow = "not steady"
	}
	marks := p.Join("● steady  ○ ", hollow)
	if len(c.down) > 0 {
		marks = p.Join(string(p.Glyphs.Dot), string(p.Glyphs.Ring), " up  ",
			string(p.Glyphs.Back), string(p.Glyphs.BackRing), " coming down")
	}
	if c.guessed && len(c.down) == 0 {
		marks = p.Join(marks, "  ", guess, "not measured")
	}
	dim := ""
	if len(p.now.works) > 0 {
		dim = draw.Either(l.Left() >= 60, "  dim: before a change", "  dim: earlier")
	}
	room := l.Left() - draw.Width(dim)
	text := within(room-draw.Width(goal), p.Join(name, marks), p.Join(short, marks), marks)
	if text == "" {
		goal = strings.TrimPrefix(goal, " ")
		if len(c.down) == 0 {
			marks = p.Join("● steady ○ ", draw.Either(c.guessed, guess, ""), hollow)
		}
		text = within(room-draw.Width(goal), p.Join(strings.TrimRight(short, " "), " ", marks), marks)
	}
	if text == "" && dim != "" { // the line of the objective has its name on the chart
		goal, text = "", within(room, marks)
	}
	l.Whole(themes.Dim, text)
	if p.Glyphs.ASCII { // the chart draws this sign in ASCII
		goal = strings.Replace(goal, "┄", "-", 1)
	}
	l.Whole(themes.Warn, goal)
	l.Whole(themes.Dim, dim)
	if k == Frontier {
		l.Whole(themes.Dim, draw.Either(c.open, "  numbers: req/s", "  numbers: users"))
	}
	if p.now.knee > 0 && k == Curve {
		l.Whole(themes.Dim, "  ╎ knee: beyond it a user adds less")
	}
}

// within is the first of the texts that fits into room columns, "" when none
// does.
func within(room int, texts ...string) string {
	for _, t := range texts {
		if draw.Width(t) <= room {
			return t
		}
	}
	return ""
}

// speedGoal reports whether an objective appears as a line.
func (n *figures) speedGoal() bool {
	return slices.ContainsFunc(n.view.SLOs, func(o slo.Objective) bool { _, ok := speedLimit(o); return ok })
}

// curve draws per-user and aggregate speed over the number of users, or over
// the rate of an open loop.
func (s *charts) curve(p *canvas, plot *chart.Plot, c *course) {
	n := p.now
	users, low, top := p.v.Want, p.v.WantRate, p.v.WantRate
	here := func(q *loadstat.Point) bool { return q.Asked > 0 == c.open && at(q) > 0 }
	n.eachEarlier(c.open, func(q *loadstat.Point) {
		users, low, top = max(users, q.Users), min(low, at(q)), max(top, at(q))
	})
	var each, total extent
	for i := range n.points {
		if q := &n.points[i]; here(q) {
			users = max(users, q.Users)
			low, top = min(low, at(q)), max(top, at(q))
			each.span(q.Speed)
			total.span(q.Total)
		}
	}
	if c.open {
		plot.X.Decades(min(max(low, leastRate), 1), max(top, 10))
	} else {
		plot.X.Doublings(256, users)
	}
	plot.LeftRole, plot.RightRole = themes.PerUser, themes.Aggregate
	s.earlier(p, plot, c.open, &each, &total)
	for _, o := range n.view.SLOs {
		if v, ok := speedLimit(o); ok {
			each.near(v)
			plot.Rules = append(plot.Rules,
				chart.Rule{At: v, Role: themes.Warn, Label: p.Join("objective ", p.Exact(v), " tok/s per user"), Short: p.Exact(v)})
		}
	}
	scales(p, plot, each, total)
	if n.breaksAt > 0 && c == n.present {
		plot.Rules = append(plot.Rules, chart.Rule{At: n.breaksAt, Vertical: true, Role: hot, Label: format.Breaks(n.breaks)})
	}
	if n.knee > 0 && float64(n.knee) != n.breaksAt && !c.open {
		plot.Rules = append(plot.Rules,
			chart.Rule{At: float64(n.knee), Vertical: true, Role: themes.Dim, Label: p.Join("knee ", p.Count(n.knee))})
	}
	for _, right := range [...]bool{false, true} {
		old := plot.Line(themes.Faint)
		old.Loose, old.Right = true, right
		for i := range n.points {
			if q := &n.points[i]; here(q) {
				add(old, q, p.Glyphs.Bullet)
			}
		}
	}
	for _, right := range [...]bool{true, false} {
		for k, line := range [...][]int{c.down, c.up} {
			path := plot.Line(themes.PerUser)
			if path.Right = right; right {
				path.Role = themes.Aggregate
			}
			for k, i := range line {
				add(path, &n.points[i], s.mark(p, i))
				if m := len(path.Points); k > 0 && m > 0 {
					path.Points[m-1].Dashed = !measured(&n.points[line[k-1]], &n.points[i])
				}
			}
			if k == 1 || len(c.up) == 0 {
				s.named(p, plot, path)
			}
		}
	}
	if q := &n.view.Live; n.live && here(q) && n.view.Running {
		// The present point of the load, beside the last steady one there.
		for _, right := range [...]bool{true, false} {
			now := plot.Line(themes.PerUser)
			if now.Loose, now.Right = true, right; right {
				now.Role = themes.Aggregate
			}
			add(now, q, s.mark(p, len(n.points)-1))
		}
	}
}

// narrowNames is the width of the screen below which a line has a short name.
const narrowNames = 100

// named writes the name of a path: per user at its first point, aggregate at
// its last, or at the nearest point with room.
func (s *charts) named(p *canvas, plot *chart.Plot, path *chart.Line) {
	all := "aggregate"
	if p.Grid.Bounds().W < narrowNames {
		all = "aggr."
	}
	for i := range path.Points {
		q, text := &path.Points[i], "per user"
		if path.Right {
			q, text = &path.Points[len(path.Points)-1-i], all
		}
		plot.Notes = append(plot.Notes,
			chart.Note{X: q.X, Y: q.Y, Right: path.Right, Role: path.Role, Text: text, Else: i > 0})
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

// add adds a point to the line: its aggregate on the right axis, else its
// per-user speed.
func add(l *chart.Line, q *loadstat.Point, mark rune) {
	v := q.Speed
	if l.Right {
		v = q.Total
	}
	if v.OK {
		l.Points = append(l.Points, chart.Point{X: at(q), Y: v.V, Mark: mark})
	}
}

// mark is solid once point i is steady. It points back where the load fell.
func (s *charts) mark(p *canvas, i int) rune {
	q := &p.now.points[i]
	falls := p.now.closed.falls[i] || p.now.rates.falls[i]
	switch {
	case q.Steady && falls:
		return p.Glyphs.Back
	case falls:
		return p.Glyphs.BackRing
	case q.Steady:
		return p.Glyphs.Dot
	}
	return p.Glyphs.Ring
}
