package load

import (
	"cmp"
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
	"tokscope/metrics/slo"
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
		path := &plot.Lines[len(plot.Lines)-format.Either(len(c.up) == 0, 2, 1)]
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

// at is the load of q on the axis of its kind of loop: users, or the requests
// per second asked for.
func at(q *loadstat.Point) float64 {
	return format.Either(q.Asked > 0, q.Asked, float64(q.Users))
}

// choose appends the index of the point for each load of an open or a closed
// loop, ascending: the last steady one, else the last with figures.
func choose(dst []int, points []loadstat.Point, open bool, use func(i int) bool) []int {
	for i, q := range pick.All(points) {
		if q.Asked > 0 != open || q.Users <= 0 && !open || !q.Speed.OK && !q.Total.OK || !use(i) {
			continue
		}
		have := slices.IndexFunc(dst, func(j int) bool { return at(&points[j]) == at(q) })
		switch {
		case have < 0:
			dst = append(dst, i)
		case q.Steady || !points[dst[have]].Steady:
			dst[have] = i
		}
	}
	slices.SortFunc(dst, func(a, b int) int { return cmp.Compare(at(&points[a]), at(&points[b])) })
	return dst
}

// course is the way that the slider took through the points of one kind of
// loop.
type course struct {
	open     bool
	chosen   []int // indexes: the one for each load, ascending
	up, down []int // the same of those reached with more load, and with less
	falls    []bool
	guessed  bool // a line leads through what was not measured, or not steady
}

func (c *course) follow(points []loadstat.Point) {
	c.falls = append(c.falls[:0], make([]bool, len(points))...)
	turns := make(map[int]bool, 2)
	before := -1
	for i, q := range pick.All(points) {
		if q.Asked > 0 != c.open {
			continue
		}
		switch {
		case q.Ramp != nil && q.Ramp.From != q.Ramp.To:
			c.falls[i] = q.Ramp.To < q.Ramp.From
		case before >= 0 && at(q) != at(&points[before]):
			c.falls[i] = at(q) < at(&points[before])
		case before >= 0:
			c.falls[i] = c.falls[before]
		}
		if before >= 0 && c.falls[i] && !c.falls[before] {
			turns[before] = true
		}
		before = i
	}
	c.chosen = choose(c.chosen[:0], points, c.open, func(int) bool { return true })
	c.up = choose(c.up[:0], points, c.open, func(i int) bool { return !c.falls[i] })
	c.down = choose(c.down[:0], points, c.open, func(i int) bool { return c.falls[i] || turns[i] })
	if !slices.ContainsFunc(c.down, func(i int) bool { return c.falls[i] }) {
		c.down = c.down[:0]
	}
	c.guessed = false
	for _, line := range [...][]int{c.up, c.down} {
		for k := 1; k < len(line); k++ {
			c.guessed = c.guessed || !measured(&points[line[k-1]], &points[line[k]])
		}
	}
}

// measured reports whether a line may lead from a to b, two points of a path in
// order of users: both are steady, and no doubling between them was left out.
// Elsewhere the line is a guess. The slices of a ramp follow each other.
func measured(a, b *loadstat.Point) bool {
	if a.Ramp != nil && b.Ramp != nil {
		return true
	}
	if a.Asked > 0 {
		return a.Steady && b.Steady && b.Asked <= 2.51*a.Asked // 1-2-5
	}
	return a.Steady && b.Steady && b.Users <= 2*a.Users
}

// plotted reports whether the live window is a point of its number of users.
// It is false on hold, where requests only end, while users leave, whose tokens
// it would include, and while users join, which would disturb the scales. It is
// false without a token, as where all requests fail.
func plotted(l *loadstat.View) bool {
	return (l.Live.Speed.OK || l.Live.Total.V > 0) && !l.Holding &&
		(!leaving(l) || l.Live.Ramp != nil) && !l.Live.Warmup && l.Live.Setup == l.Setup
}

// leaving reports whether more users run than requested.
func leaving(l *loadstat.View) bool {
	return l.Running && l.Live.Asked == 0 && l.Target > 0 && l.Users > l.Target
}

// speedLimit is the per-user speed below which the objective is missed. ok is
// false for an objective without a speed.
func speedLimit(o slo.Objective) (tokS float64, ok bool) {
	switch {
	case !(o.Limit > 0):
		return 0, false
	case o.AtLeast:
		return o.Limit, true
	case o.Name == "tpot":
		return 1000 / o.Limit, true
	}
	return 0, false
}

// earlierMost is the number of works before the present one that a chart shows,
// the latest ones. More would hide it.
const earlierMost = 3

// earlierWork is the points that were measured with one of them.
type earlierWork struct {
	name   string           // what they were measured with, where it differs
	points []loadstat.Point // one for each number of users, then for each rate, ascending
}

// earlier keeps the points of the works before the present one.
func (n *figures) earlier(l *loadstat.View) {
	n.works = n.works[:0]
	now, ok := l.SetupOf(l.Setup)
	if !ok || len(l.Setups) < 2 {
		return
	}
	for i := len(l.Path) - 1; i >= 0 && len(n.works) < earlierMost; i-- {
		setup := l.Path[i].Setup
		s, ok := l.SetupOf(setup)
		known := slices.ContainsFunc(n.works, func(w earlierWork) bool { return w.points[0].Setup == setup })
		if !ok || known || setup == l.Setup {
			continue
		}
		w := earlierWork{name: say.Setup(s, now)}
		for _, open := range [...]bool{false, true} {
			same := func(i int) bool { return l.Path[i].Setup == setup && !l.Path[i].Warmup }
			for _, k := range choose(nil, l.Path, open, same) {
				w.points = append(w.points, l.Path[k])
			}
		}
		if len(w.points) > 0 {
			n.works = append(n.works, w)
		}
	}
}

// each calls f with the points of an open or a closed loop.
func (w *earlierWork) each(open bool, f func(q *loadstat.Point)) {
	for i := range w.points {
		if q := &w.points[i]; q.Asked > 0 == open {
			f(q)
		}
	}
}

// earlier draws the works before the present one, dim and with their names: the
// points of an open or a closed loop.
func (s *charts) earlier(p *canvas, plot *chart.Plot, open bool, of placed, over *ranges) {
	for _, w := range pick.All(p.now.works) {
		w.each(open, over.add)
		for _, right := range [...]bool{false, true} {
			line := plot.Line(themes.Dim)
			line.Right = right
			w.each(open, func(q *loadstat.Point) { of.add(line, q, p.Glyphs.Bullet) })
			for k := range line.Points {
				line.Points[k].Dashed = k > 0 // it leads through what was not measured
			}
			named(plot, line, chart.Note{Text: w.name, Else: right}, true)
		}
	}
}

// marks adds a rule for each change of a load but those of users and of the
// rate, which the line of seconds has.
func (s *charts) marks(p *canvas, plot *chart.Plot, back float64) {
	v := &p.now.view
	for _, m := range pick.All(v.Marks) {
		x := float64(m.At-v.Now) / 1e9
		if m.Kind == loadstat.MarkUsers || m.Kind == loadstat.MarkRate || x < -back || x > 0 {
			continue
		}
		named := m.Kind == loadstat.MarkModel || m.Kind == loadstat.MarkEndpoint // their names are of use when cut, too
		label, short := p.Chrome(say.MarkShort(m)), string(m.Kind)
		if !named {
			short, _, _ = strings.Cut(label, " ")
		}
		plot.Rules = append(plot.Rules,
			chart.Rule{At: x, Vertical: true, Role: themes.Accent, Label: label, Short: short, Event: true, Cut: named})
	}
}
