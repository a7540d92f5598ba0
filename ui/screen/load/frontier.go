package load

import (
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
)

// frontier is throughput over per-user speed, a point a number of users: what
// can be had of the one for how much of the other.
func (s *charts) frontier(p *canvas, plot *chart.Plot) {
	n := p.now
	var each, total extent
	plot.LeftRole = themes.Aggregate
	l := plot.Line(themes.Accent)
	before := -1
	for _, i := range n.chosen {
		q := &n.points[i]
		if !q.Speed.OK || !q.Total.OK {
			continue
		}
		total.span(q.Total)
		each.span(q.Speed)
		l.Points = append(l.Points, chart.Point{X: q.Speed.V, Y: q.Total.V, Mark: s.mark(p, q), Dashed: before >= 0 && !measured(&n.points[before], q)})
		before = i
		text, role := p.Count(q.Users), themes.Text
		if q.Users == n.knee {
			text, role = p.Join(text, " knee"), themes.Figure
		}
		plot.Notes = append(plot.Notes, chart.Note{X: q.Speed.V, Y: q.Total.V, Role: role, Text: text})
	}
	if len(plot.Notes) == 1 {
		plot.Notes[0].Text = p.Join(plot.Notes[0].Text, draw.Either(plot.Notes[0].Text == "1", " user", " users"))
	}
	for _, o := range n.view.SLOs {
		if v, ok := speedLimit(o); ok {
			plot.Rules = append(plot.Rules, chart.Rule{At: v, Vertical: true, Role: themes.Warn, Label: p.Join("objective ", p.Exact(v))})
			each.near(v)
		}
	}
	each.scale(p, &plot.X)
	total.scale(p, &plot.Left)
}
