package load

import (
	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// placed is where a chart puts a point: per user or, on the right axis, aggregate.
type placed func(q *loadstat.Point, right bool) (x float64, y metrics.Value)

// overLoad is speed over users or over the rate.
func overLoad(q *loadstat.Point, right bool) (x float64, y metrics.Value) {
	return at(q), format.Either(right, q.Total, q.Speed)
}

// overSpeed is aggregate over per user, on one axis.
func overSpeed(q *loadstat.Point, right bool) (x float64, y metrics.Value) {
	if right || !q.Speed.OK {
		return 0, metrics.Value{}
	}
	return q.Speed.V, q.Total
}

// add adds a point to the line where it is known, and reports whether it is.
func (of placed) add(l *chart.Line, q *loadstat.Point, mark rune) bool {
	x, y := of(q, l.Right)
	if y.OK {
		l.Points = append(l.Points, chart.Point{X: x, Y: y.V, Mark: mark})
	}
	return y.OK
}

// curve draws per-user and aggregate speed over the number of users, or over
// the rate of an open loop.
func (s *charts) curve(p *canvas, plot *chart.Plot, c *course) {
	n := p.now
	here := func(q *loadstat.Point) bool { return q.Asked > 0 == c.open && at(q) > 0 }
	var over ranges
	over.load.span(metrics.Known(format.Either(c.open, p.v.WantRate, float64(p.v.Want)), 1))
	s.earlier(p, plot, c.open, overLoad, &over)
	for i := range n.points {
		if q := &n.points[i]; here(q) {
			over.add(q)
		}
	}
	if c.open {
		plot.X.Decades(min(max(over.load.low, leastRate), 1), max(over.load.top, 10), chart.Number)
	} else {
		plot.X.Doublings(256, int(over.load.top))
	}
	s.goals(p, plot, false, &over.each)
	scales(p, plot, over.each, over.total)
	if n.breaksAt > 0 && c == n.present {
		plot.Rules = append(plot.Rules,
			chart.Rule{At: n.breaksAt, Vertical: true, Role: themes.Warn, Label: say.Breaks(n.breaks)})
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
				placed(overLoad).add(old, q, p.Glyphs.Bullet)
			}
		}
	}
	aggregate := format.Either(p.Grid.Bounds().W < narrowNames, "aggr.", "aggregate")
	for _, right := range [...]bool{true, false} {
		s.course(p, plot, c, overLoad, right, format.Either(right, themes.Aggregate, themes.PerUser))
		path := &plot.Lines[len(plot.Lines)-1]
		if len(c.up) == 0 {
			path = &plot.Lines[len(plot.Lines)-2]
		}
		named(plot, path, chart.Note{Text: format.Either(right, aggregate, "per user")}, right)
	}
	if q := &n.view.Live; n.live && here(q) && n.view.Running {
		// The present point of the load, beside the last steady one there.
		for _, right := range [...]bool{true, false} {
			now := plot.Line(format.Either(right, themes.Aggregate, themes.PerUser))
			now.Loose, now.Right = true, right
			placed(overLoad).add(now, q, s.mark(p, len(n.points)-1))
		}
	}
}

// course draws the lines of the way down and of the way up.
func (s *charts) course(p *canvas, plot *chart.Plot, c *course, of placed, right bool, role themes.Role) {
	points := p.now.points
	for _, line := range [...][]int{c.down, c.up} {
		path, before := plot.Line(role), -1
		path.Right = right
		for _, i := range line {
			if !of.add(path, &points[i], s.mark(p, i)) {
				continue
			}
			path.Points[len(path.Points)-1].Dashed = before >= 0 && !measured(&points[before], &points[i])
			before = i
		}
	}
}

// goals draws a rule for each objective of the speed per user, which is on the left
// axis or, vertical, on that below.
func (s *charts) goals(p *canvas, plot *chart.Plot, vertical bool, each *extent) {
	for _, o := range p.now.view.SLOs {
		v, ok := speedLimit(o)
		if !ok {
			continue
		}
		each.near(v)
		rule := chart.Rule{At: v, Vertical: vertical, Role: themes.Warn, Label: p.Join("objective ", p.Exact(v))}
		if !vertical {
			rule.Label, rule.Short = p.Join(rule.Label, " tok/s per user"), p.Exact(v)
		}
		plot.Rules = append(plot.Rules, rule)
	}
}

// frontier is throughput over per-user speed, a point a number of users: what
// can be had of the one for how much of the other. The works before the present
// one are dim.
func (s *charts) frontier(p *canvas, plot *chart.Plot) {
	n := p.now
	var over ranges
	s.earlier(p, plot, n.present.open, overSpeed, &over)
	s.course(p, plot, n.present, overSpeed, false, themes.Accent)
	named := len(plot.Notes)
	for _, line := range [...][]int{n.present.up, n.present.down} {
		for _, i := range line {
			q := &n.points[i]
			over.add(q)
			if !q.Speed.OK || !q.Total.OK || q.Ramp != nil { // those of a ramp are too many to name
				continue
			}
			text, role := p.Exact(at(q)), themes.Text
			if q.Users == n.knee && !n.present.open {
				text, role = p.Join(text, " knee"), themes.Figure
			}
			plot.Notes = append(plot.Notes, chart.Note{X: q.Speed.V, Y: q.Total.V, Role: role, Text: text})
		}
	}
	if len(plot.Notes) == named+1 {
		only := &plot.Notes[named]
		users := format.Either(only.Text == "1", " user", " users")
		only.Text = p.Join(only.Text, format.Either(n.present.open, " req/s", users))
	}
	s.goals(p, plot, true, &over.each)
	over.each.scale(&plot.X, p.v.Log, 0)
	over.total.scale(&plot.Left, p.v.Log, 0)
}

// narrowNames is the width of the screen below which a line has a short name.
const narrowNames = 100

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

// ranges are those of the points on a chart: of the load, and of both speeds under it.
type ranges struct{ load, each, total extent }

func (r *ranges) add(q *loadstat.Point) {
	r.load.span(metrics.Known(at(q), 1))
	r.each.span(q.Speed)
	r.total.span(q.Total)
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

// scale makes an axis that holds them, or up to least without any.
func (e *extent) scale(a *chart.Axis, logs bool, least float64) {
	if logs && e.low > 0 {
		a.Decades(e.low, e.top, chart.Number)
	} else {
		a.Linear(format.Either(e.top == 0, least, e.top), chart.Number)
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
	each.scale(&plot.Left, p.v.Log, 0)
	total.scale(&plot.Right, p.v.Log, 0)
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
