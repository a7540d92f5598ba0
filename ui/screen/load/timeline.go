package load

import (
	"strconv"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/chart"
)

// timeline is each and in all over the last minute or more, with a rule where
// the number of users changed.
func (s *Screen) timeline(p *canvas, plot *chart.Plot) {
	v := &s.now.view
	back := float64(window)
	if len(v.Series) > 0 {
		have := float64(v.Now-v.Series[0].At) / 1e9
		for back < have && back < window<<5 {
			back *= 2
		}
	}
	plot.LeftRole, plot.RightRole = themes.PerUser, themes.InTotal
	plot.X.Span(-back, 0, 4, ago)
	var each, total extent
	line := plot.Line(themes.InTotal)
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
				plot.Rules = append(plot.Rules, chart.Rule{At: x, Vertical: true, Role: themes.Faint, Label: p.Int(q.Users)})
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
		y := -1.0 // breaks the line
		if q.Speed.OK {
			y = q.Speed.V
		}
		each.span(q.Speed)
		line.Points = append(line.Points, chart.Point{X: x, Y: y})
	}
	s.begins(plot, &plot.Lines[0], "in all")
	s.begins(plot, &plot.Lines[1], "each")
	scales(p, plot, each, total)
}

// begins writes the name of a line where it begins: there it stands still.
func (s *Screen) begins(plot *chart.Plot, l *chart.Line, name string) {
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
