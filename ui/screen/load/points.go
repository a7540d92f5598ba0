package load

import (
	"cmp"
	"slices"
	"strings"

	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// at is the load of q on the axis of its kind of loop: users, or the requests
// per second asked for.
func at(q *loadstat.Point) float64 {
	return format.Either(q.Asked > 0, q.Asked, float64(q.Users))
}

// choose appends the index of the point for each load of an open or a closed
// loop, ascending: the last steady one, else the last with figures.
func choose(dst []int, points []loadstat.Point, open bool, use func(i int) bool) []int {
	for i := range points {
		q := &points[i]
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

// follow finds the course through points.
func (c *course) follow(points []loadstat.Point) {
	c.falls = append(c.falls[:0], make([]bool, len(points))...)
	turns := make(map[int]bool, 2)
	before := -1
	for i := range points {
		q := &points[i]
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
	for i := range p.now.works {
		w := &p.now.works[i]
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
	for i := range v.Marks {
		m := &v.Marks[i]
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
