package load

import (
	"slices"
	"strings"

	"tokscope/metrics/loadstat"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/say"
)

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
