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
	var all []loadstat.Point
	for i := range l.Path {
		if q := &l.Path[i]; q.Setup != l.Setup && !q.Warmup {
			all = append(all, *q)
		}
	}
	for i := len(all) - 1; i >= 0 && len(n.works) < earlierMost; i-- {
		setup := all[i].Setup
		s, ok := l.SetupOf(setup)
		if !ok || slices.ContainsFunc(n.works, func(w earlierWork) bool { return w.points[0].Setup == setup }) {
			continue
		}
		w := earlierWork{name: say.Setup(s, now)}
		same := slices.DeleteFunc(slices.Clone(all), func(q loadstat.Point) bool { return q.Setup != setup })
		for _, open := range [...]bool{false, true} {
			for _, k := range choose(nil, same, open, func(int) bool { return true }) {
				w.points = append(w.points, same[k])
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
