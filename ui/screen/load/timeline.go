package load

import (
	"slices"
	"strconv"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/format"
)

// series is a line of a chart over time.
type series struct {
	name  string
	role  themes.Role
	right bool // read on the right axis
	late  bool // named at its end
	// dashed tells arrivals from the ends where there is no color.
	dashed bool
	// of is the value of second i, which interrupts the line where it is unknown.
	of func(v *loadstat.View, i int) metrics.Value
}

// The lines of the charts over time.
var (
	speeds = []series{
		{name: "aggregate", role: themes.Aggregate, right: true,
			of: func(v *loadstat.View, i int) metrics.Value { return metrics.Known(v.Series[i].Total, 1) }},
		{name: "per user", role: themes.PerUser,
			of: func(v *loadstat.View, i int) metrics.Value { return v.Series[i].Speed }},
	}
	flows = []series{
		{name: "under way + wait", role: themes.Warn, right: true, of: func(v *loadstat.View, i int) metrics.Value {
			return metrics.Known(v.Series[i].InFlight+v.Series[i].Backlog, 1)
		}},
		{name: "end", role: themes.Good, late: true,
			of: func(v *loadstat.View, i int) metrics.Value { return perSecond(v.Series[:i+1], false) }},
		{name: "arrive", role: themes.Accent, late: true, dashed: true,
			of: func(v *loadstat.View, i int) metrics.Value { return perSecond(v.Series[:i+1], true) }},
	}
	// percentiles of TTFT, each of the last loadstat.WaitsWithin; unknown where too few
	// requests had a first token for it.
	percentiles = []series{percentile(0, "p50", themes.PerUser), percentile(1, "p95", themes.Text),
		percentile(2, "p99", themes.Dim)}
)

// percentile is that of loadstat.Sample.TTFTs at place k.
func percentile(k int, name string, role themes.Role) series {
	return series{name: name, role: role,
		of: func(v *loadstat.View, i int) metrics.Value { return v.Series[i].TTFTs[k] }}
}

// overTime draws lines over the last minute or more, with a rule for each change of
// the load. It returns the ranges of both axes.
func (s *charts) overTime(p *canvas, plot *chart.Plot, lines []series) (left, right extent) {
	v := &p.now.view
	back := reaches(v)
	plot.X.Span(-back, 0, 4, ago)
	s.marks(p, plot, back) // before the users: the first labels find room
	s.changes(p, plot, back)
	for _, one := range lines {
		l, e := plot.Line(one.role), &left
		if l.Right = one.right; one.right {
			e = &right
		}
		for i := range v.Series {
			x, y := float64(v.Series[i].At-v.Now)/1e9, -1.0
			if x < -back {
				continue
			}
			if t := one.of(v, i); t.OK {
				y = t.V
				e.span(t)
			}
			l.Points = append(l.Points, chart.Point{X: x, Y: y, Dashed: one.dashed})
		}
		named(plot, l, chart.Note{Text: one.name, Left: true}, one.late)
	}
	return left, right
}

// timeline draws per-user and aggregate speed over time.
func (s *charts) timeline(p *canvas, plot *chart.Plot) {
	each, total := s.overTime(p, plot, speeds)
	scales(p, plot, each, total)
}

// queue draws the requests that arrive and that end in each second, and the
// number of those under way or waiting for a user.
func (s *charts) queue(p *canvas, plot *chart.Plot) {
	flow, waits := s.overTime(p, plot, flows)
	flow.top, waits.top = max(flow.top, 1), max(waits.top, 1)
	flow.scale(&plot.Left, p.v.Log, 0)
	waits.scale(&plot.Right, p.v.Log, 0)
}

// waits draws percentiles of TTFT over time.
func (s *charts) waits(p *canvas, plot *chart.Plot) {
	ttft, _ := s.overTime(p, plot, percentiles)
	if ttft.top == 0 { // to begin with
		ttft.top = 1000
	}
	for _, o := range p.now.view.SLOs {
		if o.Name == "ttft" && o.Limit > 0 {
			ttft.near(o.Limit)
			plot.Rules = append(plot.Rules, chart.Rule{At: o.Limit, Role: themes.Warn,
				Label: p.Join("objective ", p.Keep(format.AppendLimit(p.Scratch(), o.Limit))), Short: p.Exact(o.Limit)})
		}
	}
	ttft.scale(&plot.Left, p.v.Log, 0)
}

// missingWaits is "; " and the first percentile that is unknown at the end, with its
// reason; "" for none.
func (p *canvas) missingWaits() string {
	v := &p.now.view
	for _, line := range percentiles {
		if n := len(v.Series); n > 0 {
			if t := line.of(v, n-1); !t.OK && t.Why != metrics.WhyNoFirstChunk {
				return p.Join("; ", line.name, " ", format.Why(t.Why))
			}
		}
	}
	return ""
}

// window is the shortest range of the time chart, in seconds. It doubles up
// to the length of the history.
const window = 60

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
			unit := format.Either(ramp.Open(), "/s", "")
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
	typed := func(m loadstat.Mark) bool { return rate == m.From.Rate || rate == m.To.Rate || rate == m.To.To }
	if rate == v.Drive.Rate && !v.Drive.Ramps() || slices.ContainsFunc(v.Marks, typed) {
		return p.Exact(rate)
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
		sum += format.Either(arrived, last[i].Arrived, last[i].Ended)
	}
	return metrics.Known(float64(sum)/float64(len(last)), len(last))
}

// named writes the note beside a line where it begins, which does not move, or for late
// where it ends; else at the first of some places further on that has room.
func named(plot *chart.Plot, l *chart.Line, note chart.Note, late bool) {
	first := slices.IndexFunc(l.Points, func(q chart.Point) bool { return q.Y >= 0 })
	if first < 0 {
		return
	}
	last := len(l.Points) - 1
	tries := min(last-first+1, 12)
	for k := range tries {
		at := k * (last - first) / max(tries-1, 1)
		q := &l.Points[format.Either(late, last-at, first+at)]
		note.X, note.Y, note.Right, note.Role = q.X, q.Y, l.Right, l.Role
		plot.Notes = append(plot.Notes, note)
		note.Else = true
	}
}

// ago writes a time of the X axis.
func ago(at float64) string {
	if at == 0 {
		return "now"
	}
	return strconv.Itoa(int(at)) + " s"
}
