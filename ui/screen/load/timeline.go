package load

import (
	"strconv"

	"tokscope/themes"
	"tokscope/ui/chart"
)

// timeline is each and in all over the last minute or more, with a rule where
// the number of users changed.
func (s *Screen) timeline(p *pen) *chart.Plot {
	v := &s.now.view
	back := float64(window)
	if len(v.Series) > 0 {
		have := float64(v.Now-v.Series[0].At) / 1e9
		for back < have && back < window<<5 {
			back *= 2
		}
	}
	room := min(len(v.Series), int(back)+2)
	each, total := chart.Line{Role: themes.PerUser, Points: make([]chart.Point, 0, room)}, chart.Line{Role: themes.InTotal, Right: true, Points: make([]chart.Point, 0, room)}
	plot := &chart.Plot{LeftRole: themes.PerUser, RightRole: themes.InTotal, X: chart.Axis{Min: -back, Max: 0}}
	for i := 4; i >= 0; i-- {
		at := -back * float64(i) / 4
		label := "now"
		if i > 0 {
			label = strconv.Itoa(int(at)) + " s"
		}
		plot.X.Ticks = append(plot.X.Ticks, chart.Tick{At: at, Label: label})
	}
	var eachTop, eachLow, totalTop, totalLow float64
	users := 0
	for i := range v.Series {
		q := &v.Series[i]
		x := float64(q.At-v.Now) / 1e9
		if x < -back {
			users = q.Users
			continue
		}
		if q.Speed.OK {
			span(&eachLow, &eachTop, q.Speed)
			each.Points = append(each.Points, chart.Point{X: x, Y: q.Speed.V})
		} else {
			each.Points = append(each.Points, chart.Point{X: x, Y: -1}) // breaks the line
		}
		if q.Total > 0 {
			totalTop = max(totalTop, q.Total)
			if totalLow == 0 || q.Total < totalLow {
				totalLow = q.Total
			}
		}
		total.Points = append(total.Points, chart.Point{X: x, Y: q.Total})
		if q.Users != users && q.Users > 0 {
			if users > 0 || i > 0 {
				plot.Rules = append(plot.Rules, chart.Rule{At: x, Vertical: true, Role: themes.Faint, Label: p.int(q.Users)})
			}
			users = q.Users
		}
	}
	plot.Left = s.scale(p, eachLow, eachTop)
	right := s.scale(p, totalLow, totalTop)
	plot.Right = &right
	plot.Lines = []chart.Line{total, each}
	return plot
}
