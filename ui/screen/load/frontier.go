package load

import (
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
)

// frontier is throughput over per-user speed, a point a number of users: what
// can be had of the one for how much of the other. The works before the present
// one are dim.
func (s *charts) frontier(p *canvas, plot *chart.Plot) {
	n := p.now
	var each, total extent
	s.earlierFrontier(p, plot, &each, &total)
	named := len(plot.Notes)
	for _, line := range [...][]int{n.present.up, n.present.down} {
		l := plot.Line(themes.Accent)
		before := -1
		for _, i := range line {
			q := &n.points[i]
			if !q.Speed.OK || !q.Total.OK {
				continue
			}
			total.span(q.Total)
			each.span(q.Speed)
			l.Points = append(l.Points,
				chart.Point{X: q.Speed.V, Y: q.Total.V, Mark: s.mark(p, i), Dashed: before >= 0 && !measured(&n.points[before], q)})
			before = i
			text, role := p.Exact(at(q)), themes.Text
			if q.Ramp != nil {
				continue // too many to name
			}
			if q.Users == n.knee && !n.present.open {
				text, role = p.Join(text, " knee"), themes.Figure
			}
			plot.Notes = append(plot.Notes, chart.Note{X: q.Speed.V, Y: q.Total.V, Role: role, Text: text})
		}
	}
	if len(plot.Notes) == named+1 {
		only := &plot.Notes[named]
		only.Text = p.Join(only.Text, draw.Either(n.present.open, " req/s", draw.Either(only.Text == "1", " user", " users")))
	}
	for _, o := range n.view.SLOs {
		if v, ok := speedLimit(o); ok {
			plot.Rules = append(plot.Rules,
				chart.Rule{At: v, Vertical: true, Role: themes.Warn, Label: p.Join("objective ", p.Exact(v))})
			each.near(v)
		}
	}
	each.scale(p, &plot.X)
	total.scale(p, &plot.Left)
}
