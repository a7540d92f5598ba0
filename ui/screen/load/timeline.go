package load

import (
	"strconv"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/chart"
)

// timeline draws per-user and aggregate speed over the last minute or more, with a rule where
// the number of users changed.
func (s *charts) timeline(p *canvas, plot *chart.Plot) {
	v := &p.now.view
	back := float64(window)
	if len(v.Series) > 0 {
		have := float64(v.Now-v.Series[0].At) / 1e9
		for back < have && back < window<<5 {
			back *= 2
		}
	}
	plot.LeftRole, plot.RightRole = themes.PerUser, themes.Aggregate
	plot.X.Span(-back, 0, 4, ago)
	var each, total extent
	line := plot.Line(themes.Aggregate)
	line.Right = true
	users := 0
	for i := range v.Series {
		q := &v.Series[i]
		x := float64(q.At-v.Now) / 1e9
		if x < -back {
			users = q.Users
			continue
		}
		total.span(metrics.Known(q.Total, 1))
		line.Points = append(line.Points, chart.Point{X: x, Y: q.Total})
		if q.Users != users && q.Users > 0 {
			if users > 0 || i > 0 {
				plot.Rules = append(plot.Rules, chart.Rule{At: x, Vertical: true, Role: themes.Faint, Label: p.Count(q.Users)})
			}
			users = q.Users
		}
	}
	line = plot.Line(themes.PerUser)
	for i := range v.Series {
		q := &v.Series[i]
		x := float64(q.At-v.Now) / 1e9
		if x < -back {
			continue
		}
		y := -1.0 // interrupts the line
		if q.Speed.OK {
			y = q.Speed.V
		}
		each.span(q.Speed)
		line.Points = append(line.Points, chart.Point{X: x, Y: y})
	}
	s.begins(plot, &plot.Lines[0], "aggregate")
	s.begins(plot, &plot.Lines[1], "per user")
	scales(p, plot, each, total)
}

// begins writes the name of a line at its beginning, where it does not move.
func (s *charts) begins(plot *chart.Plot, l *chart.Line, name string) {
	for _, q := range l.Points {
		if q.Y >= 0 {
			plot.Notes = append(plot.Notes, chart.Note{X: q.X, Y: q.Y, Right: l.Right, Role: l.Role, Text: name, Left: true})
			return
		}
	}
}

// ago writes a time of the X axis.
func ago(at float64) string {
	if at == 0 {
		return "now"
	}
	return strconv.Itoa(int(at)) + " s"
}
