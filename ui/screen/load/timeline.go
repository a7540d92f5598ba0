package load

import (
	"strconv"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
)

// overTime begins a chart of the last minute or more, with a rule for each change of
// the load. It returns how many seconds the chart covers.
func (s *charts) overTime(p *canvas, plot *chart.Plot, marks bool) (back float64) {
	back = reaches(&p.now.view)
	plot.X.Span(-back, 0, 4, ago)
	if marks {
		s.marks(p, plot, back) // before the users: the first labels find room
	}
	s.changes(p, plot, back)
	return back
}

// seconds adds the seconds that a chart covers to l: of is the value of each, which
// interrupts the line where it is unknown. It returns the range of the values.
func (p *canvas) seconds(l *chart.Line, back float64, of func(i int, q *loadstat.Sample) metrics.Value) (e extent) {
	v := &p.now.view
	for i := range v.Series {
		q := &v.Series[i]
		x := float64(q.At-v.Now) / 1e9
		if x < -back {
			continue
		}
		y := -1.0
		if t := of(i, q); t.OK {
			y = t.V
			e.span(t)
		}
		l.Points = append(l.Points, chart.Point{X: x, Y: y})
	}
	return e
}

// timeline draws per-user and aggregate speed over time.
func (s *charts) timeline(p *canvas, plot *chart.Plot) {
	back := s.overTime(p, plot, true)
	line := plot.Line(themes.Aggregate)
	line.Right = true
	total := p.seconds(line, back, func(_ int, q *loadstat.Sample) metrics.Value { return metrics.Known(q.Total, 1) })
	each := p.seconds(plot.Line(themes.PerUser), back, func(_ int, q *loadstat.Sample) metrics.Value { return q.Speed })
	s.begins(plot, &plot.Lines[0], "aggregate")
	s.begins(plot, &plot.Lines[1], "per user")
	scales(p, plot, each, total)
}

// reaches is how many seconds a chart over time covers.
func reaches(v *loadstat.View) float64 {
	back := float64(window)
	if len(v.Series) > 0 {
		have := float64(v.Now-v.Series[0].At) / 1e9
		for back < have && back < window<<5 {
			back *= 2
		}
	}
	return back
}

// changes draws a rule where the load changes. Where it changes every second,
// as on a ramp, only the first and the last change have one.
func (s *charts) changes(p *canvas, plot *chart.Plot, back float64) {
	v := &p.now.view
	changed := func(i int) bool {
		if i <= 0 || i >= len(v.Series) {
			return false
		}
		a, b := &v.Series[i-1], &v.Series[i]
		if a.Rate > 0 || b.Rate > 0 {
			return a.Rate != b.Rate
		}
		return a.Users != b.Users && b.Users > 0
	}
	before := v.Began // of the change before
	for i := range v.Series {
		q := &v.Series[i]
		if !changed(i) {
			continue
		}
		ramp := rampWithin(v, before, q.At)
		before = q.At
		x := float64(q.At-v.Now) / 1e9
		between := changed(i-1) && changed(i+1) || i == len(v.Series)-1 && changed(i-1) && v.Drive.Ramps()
		if x < -back || between && ramp == nil {
			continue
		}
		rule := chart.Rule{At: x, Vertical: true, Event: true, Weak: true, Role: themes.Faint, Label: p.Count(q.Users)}
		switch {
		case ramp != nil:
			unit := draw.Either(ramp.Open(), "/s", "")
			rule.Label = p.Chrome(p.Join(p.asked(ramp.From()), " → ", p.Exact(ramp.To), unit))
			rule.Short = p.Chrome(p.Join("→ ", p.Exact(ramp.To), unit))
		case q.Rate > 0:
			rule.Label = p.Join(p.rateOf(q.Rate), "/s")
		}
		plot.Rules = append(plot.Rules, rule)
	}
}

// rateOf writes a rate of the timeline: exactly if a person asked for it, else
// with three digits.
func (p *canvas) rateOf(rate float64) string {
	v := &p.now.view
	if rate == v.Drive.Rate && !v.Drive.Ramps() {
		return p.Exact(rate)
	}
	for i := range v.Marks {
		if m := &v.Marks[i]; rate == m.From.Rate || rate == m.To.Rate || rate == m.To.To {
			return p.Exact(rate)
		}
	}
	return p.asked(rate)
}

// rampWithin returns the last ramp that began after from and until to, nil for
// none.
func rampWithin(v *loadstat.View, from, to metrics.Stamp) *loadstat.Drive {
	for i := len(v.Marks) - 1; i >= 0; i-- {
		m := &v.Marks[i]
		if (m.Kind == loadstat.MarkUsers || m.Kind == loadstat.MarkRate) && m.At > from && m.At <= to {
			if m.To.Ramps() {
				return &m.To.Drive
			}
			return nil // another change ended it
		}
	}
	return nil
}

// queue draws the requests that arrive and that end in each second, and the
// number of those under way or waiting for a user.
func (s *charts) queue(p *canvas, plot *chart.Plot) {
	back := s.overTime(p, plot, false)
	wait := plot.Line(themes.Warn)
	wait.Right = true
	waits := p.seconds(wait, back, func(_ int, q *loadstat.Sample) metrics.Value {
		return metrics.Known(q.InFlight+q.Backlog, 1)
	})
	s.begins(plot, wait, "under way + wait")
	var flow extent
	for k, name := range [...]string{"end", "arrive"} {
		line := plot.Line(draw.Either(k == 1, themes.Accent, themes.Good))
		e := p.seconds(line, back, func(i int, _ *loadstat.Sample) metrics.Value {
			return perSecond(p.now.view.Series[:i+1], k == 1)
		})
		flow.span(metrics.Known(e.low, 1))
		flow.span(metrics.Known(e.top, 1))
		for i := range line.Points { // without color nothing else tells arrivals from the ends
			line.Points[i].Dashed = k == 1
		}
		s.along(plot, line, name)
	}
	flow.top, waits.top = max(flow.top, 1), max(waits.top, 1)
	flow.scale(p, &plot.Left)
	waits.scale(p, &plot.Right)
}

// meanOf is how many seconds the chart of the queue averages.
const meanOf = 5

// perSecond is the mean number of requests that arrived, or ended, in each of
// the last seconds of series; unknown for arrivals of a closed loop.
func perSecond(series []loadstat.Sample, arrived bool) metrics.Value {
	if arrived && series[len(series)-1].Rate <= 0 {
		return metrics.Value{}
	}
	last, sum := series[max(len(series)-meanOf, 0):], 0
	for i := range last {
		sum += draw.Either(arrived, last[i].Arrived, last[i].Ended)
	}
	return metrics.Known(float64(sum)/float64(len(last)), len(last))
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

// along writes the name of a line at its last point, or else at the first of some
// earlier ones that has room.
func (s *charts) along(plot *chart.Plot, l *chart.Line, name string) {
	n := len(l.Points)
	tried := false
	for _, back := range [...]int{1, n / 8, n / 4, n / 2, 3 * n / 4} {
		if back < 1 || back > n || l.Points[n-back].Y < 0 {
			continue
		}
		at := &l.Points[n-back]
		plot.Notes = append(plot.Notes, chart.Note{X: at.X, Y: at.Y, Role: l.Role, Text: name, Left: true, Else: tried})
		tried = true
	}
}

// ago writes a time of the X axis.
func ago(at float64) string {
	if at == 0 {
		return "now"
	}
	return strconv.Itoa(int(at)) + " s"
}
