package load

import (
	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/format"
)

// waitLines are the lines of the chart of TTFT over time, by the places of
// loadstat.Sample.TTFTs. The highest is the last.
var waitLines = [...]struct {
	name string
	role themes.Role
}{{"p50", themes.PerUser}, {"p95", themes.Text}, {"p99", themes.Dim}}

// waits draws percentiles of TTFT over time, each of the last
// loadstat.WaitsWithin. A line is interrupted where too few requests had a first
// token for it.
func (s *charts) waits(p *canvas, plot *chart.Plot) {
	v := &p.now.view
	back := reaches(v)
	plot.LeftRole = themes.PerUser
	plot.X.Span(-back, 0, 4, ago)
	s.marks(p, plot, back)
	s.changes(p, plot, back)
	var ttft extent
	for k, line := range waitLines {
		l := plot.Line(line.role)
		for i := range v.Series {
			q := &v.Series[i]
			x := float64(q.At-v.Now) / 1e9
			if x < -back {
				continue
			}
			y := -1.0 // interrupts the line
			if t := q.TTFTs[k]; t.OK {
				y = t.V
				ttft.span(t)
			}
			l.Points = append(l.Points, chart.Point{X: x, Y: y})
		}
		s.begins(plot, l, line.name)
	}
	if ttft.top == 0 { // to begin with
		ttft.top = 1000
	}
	for _, o := range v.SLOs {
		if o.Name == "ttft" && o.Limit > 0 {
			ttft.near(o.Limit)
			plot.Rules = append(plot.Rules, chart.Rule{At: o.Limit, Role: themes.Warn,
				Label: p.Join("objective ", p.Keep(format.AppendLimit(p.Scratch(), o.Limit))), Short: p.Exact(o.Limit)})
		}
	}
	ttft.scale(p, &plot.Left)
}

// waitsLegend says of what the percentiles are, and why one of them is missing.
func (s *charts) waitsLegend(p *canvas, l line) {
	missing := ""
	if n := len(p.now.view.Series); n > 0 {
		missing = p.missingWaits(&p.now.view.Series[n-1])
	}
	_ = missing != "" && l.Whole(themes.Dim, p.Join("first tokens of the last 30 s; ", missing)) ||
		l.Whole(themes.Dim, "percentiles of the first tokens of the last 30 s") ||
		l.Whole(themes.Dim, "first tokens of the last 30 s")
}

// missingWaits names the first percentile that is unknown at the end, with its
// reason; "" for none.
func (p *canvas) missingWaits(q *loadstat.Sample) string {
	for k, line := range waitLines {
		if t := q.TTFTs[k]; !t.OK && t.Why != metrics.WhyNoFirstChunk {
			return p.Join(line.name, " ", format.Why(t.Why))
		}
	}
	return ""
}
