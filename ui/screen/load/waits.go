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
	v, back := &p.now.view, s.overTime(p, plot, true)
	var ttft extent
	for k, line := range waitLines {
		l := plot.Line(line.role)
		e := p.seconds(l, back, func(_ int, q *loadstat.Sample) metrics.Value { return q.TTFTs[k] })
		ttft.span(metrics.Known(e.low, 1))
		ttft.span(metrics.Known(e.top, 1))
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

// missingWaits is "; " and the first percentile that is unknown at the end, with its
// reason; "" for none.
func (p *canvas) missingWaits(q *loadstat.Sample) string {
	for k, line := range waitLines {
		if t := q.TTFTs[k]; !t.OK && t.Why != metrics.WhyNoFirstChunk {
			return p.Join("; ", line.name, " ", format.Why(t.Why))
		}
	}
	return ""
}
