package html

import (
	"math"
	"slices"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/comparison"
	"tokscope/metrics/figure"
	"tokscope/metrics/history"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
	"tokscope/metrics/racestat"
	"tokscope/metrics/watchstat"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/format"
	"tokscope/ui/report"
	"tokscope/ui/say"
)

// at is a point of a curve; where y is unknown it is none.
func at(x float64, y metrics.Value, mark rune) chart.Point {
	return chart.Point{X: x, Y: format.Either(y.OK, y.V, math.NaN()), Mark: mark}
}

// curve adds a line of those of n points that are one, and its name.
func (f *Figure) curve(name string, role themes.Role, n int, point func(i int) chart.Point) *chart.Line {
	l := f.Plot.Line(role)
	for i := range n {
		if q := point(i); !math.IsNaN(q.Y) {
			l.Points = append(l.Points, q)
		}
	}
	if len(l.Points) > 0 {
		f.Names = append(f.Names, Name{Role: role, Text: name})
	}
	return l
}

// manyfold is the ratio of values from which on an axis is logarithmic.
const manyfold = 20

// scale makes an axis for these values, logarithmic where their ratio is above many.
func scale(a *chart.Axis, lo, hi, many float64, label func(float64) string) {
	if lo > 0 && hi > many*lo {
		a.Decades(lo, hi, label)
	} else {
		a.Linear(hi, label)
	}
}

// fit makes the vertical axes, left labels those of the left, and adds the chart to the page
// where it has a point.
func (p *Page) fit(f *Figure, left func(float64) string) {
	on := map[bool][]float64{} // the values on the right axis, and on the left
	for _, l := range f.Plot.Lines {
		on[l.Right] = append(on[l.Right], pick.Each(l.Points, func(q *chart.Point) float64 { return q.Y })...)
	}
	f.Plot.LeftRole = themes.Dim
	if len(on[true]) > 0 { // two units, each in the color of its line
		f.Plot.LeftRole, f.Plot.RightRole = f.Plot.Lines[0].Role, f.Plot.Lines[1].Role
		f.Plot.Right.Linear(slices.Max(on[true]), chart.Number)
	}
	if len(on[false]) > 0 {
		if f.Plot.Left.Ticks == nil {
			scale(&f.Plot.Left, slices.Min(on[false]), slices.Max(on[false]), manyfold, left)
		}
		p.Figures = append(p.Figures, *f)
	}
}

// curveOf is a line of a chart of a load.
type curveOf struct {
	name string
	role themes.Role
	of   func(*loadstat.Point) metrics.Value
}

// Load returns the page of a load: d is its report.
func Load(r *report.Sweep, d *report.Doc) *Page {
	p := &Page{Kind: "load", Doc: d, Defines: []figure.ID{figure.TTFT, figure.Speed, figure.Throughput, figure.Gap}}
	if r.Depth != nil {
		p.depth(r.Depth.Rows)
	}
	n, open := len(r.Steps), len(r.Plan.Rates) > 0
	if n == 0 || r.Depth != nil {
		return p
	}
	load := func(i int) float64 { return format.Either(open, r.Steps[i].Rate, float64(r.Steps[i].Point.Users)) }
	over, verdicts := format.Either(open, "requests per second", "users"), r.Verdicts()
	for _, c := range []struct {
		title, objective string
		left             func(float64) string
		lines            [2]curveOf // the second of the speed has an axis of its own
	}{
		{"Speed", "speed", chart.Number, [...]curveOf{
			{"per user, tok/s", themes.PerUser, func(q *loadstat.Point) metrics.Value { return q.Speed }},
			{"aggregate, tok/s", themes.Aggregate, func(q *loadstat.Point) metrics.Value { return q.Total }}}},
		{"Time to first token", "ttft", format.Limit, [...]curveOf{
			{"median", themes.PerUser, func(q *loadstat.Point) metrics.Value { return q.TTFT.P50 }},
			{"p99", themes.Dim, func(q *loadstat.Point) metrics.Value { return q.TTFT.P99 }}}},
	} {
		f := Figure{Title: c.title + " over " + over,
			About: "The number of " + over + " grows to the right. Filled points are steady, hollow ones are not."}
		for _, x := range c.lines {
			f.curve(x.name, x.role, n, func(i int) chart.Point {
				q := &r.Steps[i].Point
				return at(load(i), x.of(q), format.Either(q.Steady, '●', '○'))
			}).Right = x.role == themes.Aggregate
		}
		if open {
			f.Plot.X.Decades(load(0), load(n-1), chart.Number)
		} else {
			f.Plot.X.Doublings(2, int(load(n-1)))
		}
		if verdicts.Knee >= 0 && !open {
			f.Plot.Rules = append(f.Plot.Rules, chart.Rule{At: load(verdicts.Knee), Vertical: true, Role: themes.Dim,
				Label: "knee"})
		}
		for _, o := range r.Plan.SLOs {
			if o.Name == c.objective {
				f.Plot.Rules = append(f.Plot.Rules, chart.Rule{At: o.Limit, Role: themes.Warn, Label: "objective"})
			}
		}
		p.fit(&f, c.left)
	}
	return p
}

// depth draws the time to the first token over the length of the prompt.
func (p *Page) depth(rows []loadstat.DepthRow) {
	if len(rows) == 0 {
		return
	}
	f := Figure{Title: "Time to first token over the length of the prompt",
		About: "Tokens of the prompt grow to the right."}
	f.curve("new to the server", themes.Prefill, len(rows), func(i int) chart.Point {
		return at(float64(rows[i].Depth), rows[i].Cold.TTFT, '●')
	})
	f.curve("known to it", themes.Decode, len(rows), func(i int) chart.Point {
		return at(float64(rows[i].Depth), rows[i].Warm.TTFT, '●')
	})
	f.Plot.X.Lengths(float64(rows[0].Depth), float64(rows[len(rows)-1].Depth))
	p.fit(&f, format.Limit)
}

// lanes are the roles of the lanes of a race, and of the sides of a comparison.
var lanes = [racestat.MaxLanes]themes.Role{themes.PerUser, themes.Aggregate, themes.Accent,
	themes.Reading, themes.Burst, themes.Text}

// Race returns the page of a race: d is its report. Its charts have a dot for each request.
func Race(v *racestat.View, d *report.Doc) *Page {
	p := &Page{Kind: "race", When: v.Wall, Doc: d, Defines: racestat.Figures[:]}
	for _, id := range racestat.Swapped {
		f := Figure{Title: id.Label() + " of every pair", About: "One pair after the other, with the median of each lane."}
		n := len(v.Rounds)
		if v.Swap != nil {
			f.Title, f.About, n = id.Label()+" of every block", "One block after the other.", len(v.Blocks)
		}
		for lane := range v.Lanes {
			f.curve(say.RaceLetter(lane)+": "+v.Lanes[lane].Label, lanes[lane], n, func(i int) chart.Point {
				if v.Swap != nil {
					b := &v.Blocks[i]
					return at(float64(b.N), format.Either(b.Lane == lane, b.Values[id], metrics.Value{}), 0)
				}
				r := &v.Rounds[i]
				asked := !r.Dropped && !r.Results[lane].Failed()
				return at(float64(r.N-1), format.Either(asked, r.Results[lane].Values[id], metrics.Value{}), 0)
			}).Loose = true
			if m := v.Median(id, lane); m.OK && v.Swap == nil {
				f.Plot.Rules = append(f.Plot.Rules, chart.Rule{At: m.V, Role: lanes[lane],
					Label: say.RaceLetter(lane) + " " + format.Ms(m.V)})
			}
		}
		f.Plot.X.Linear(float64(max(n, 1)), chart.Number)
		f.Plot.X.Max = float64(n) + .5
		f.Plot.X.Ticks = slices.DeleteFunc(f.Plot.X.Ticks, func(t chart.Tick) bool { return t.At != math.Trunc(t.At) })
		p.fit(&f, format.Limit)
	}
	return p
}

// Compare returns the page of a comparison: d is its report. Its charts are the distributions
// of both sides.
func Compare(c *comparison.Comparison, d *report.Doc) *Page {
	p := &Page{Kind: "comparison", When: c.B.To, Doc: d,
		Defines: []figure.ID{figure.TTFT, figure.TPOT, figure.Failures}}
	for i := range c.Pairs {
		for _, id := range report.Pictured {
			r := c.Pairs[i].Row(id)
			main := id == history.TTFT || id == history.TPOT
			if len(p.Figures) == mostCharts || r == nil || !main && !r.Different() ||
				min(len(r.ValuesA), len(r.ValuesB)) < 2 {
				continue
			}
			load := format.If(len(c.Pairs) > 1, say.CompareLoad(&c.Pairs[i].A))
			f := Figure{Title: format.Join(", ", id.Label()+" of both", load),
				About: "How large a share of the requests was at most so long. The line further to the left is faster."}
			for k, values := range [][]float64{r.ValuesA, r.ValuesB} {
				f.curve([]string{"A", "B"}[k], lanes[k], 2*len(values), func(i int) chart.Point { // steps
					return chart.Point{X: values[i/2], Y: float64((i+1)/2) / float64(len(values))}
				})
			}
			scale(&f.Plot.X, min(r.ValuesA[0], r.ValuesB[0]), max(r.ValuesA[r.NA-1], r.ValuesB[r.NB-1]), manyfold, format.Limit)
			f.Plot.Left.Span(0, 1, 4, format.Percent)
			p.fit(&f, nil)
		}
	}
	return p
}

// What a page draws of a comparison and of a history: so many charts, of all series so many slots.
const (
	mostCharts = 8
	mostSlots  = 3000
)

// Found is what a history has to a filter. Now says how the newest runs of each series are.
type Found struct {
	View   history.View
	Now    []watchstat.View
	Filter string
}

// History returns the page of a part of the history.
func History(found Found) *Page {
	v, now := &found.View, found.Now
	p := &Page{Kind: "history", Doc: report.History(v, now, found.Filter, ""),
		Defines: []figure.ID{figure.TTFT, figure.TPOT, figure.Failures}}
	slots := 0
	for i := range v.Series {
		s := &v.Series[i]
		name := format.Join(" · ", say.HistorySeries(&s.Series)...)
		if i == 0 {
			p.When = s.Last
			if text := say.HistoryLately(&now[0], s.Last); text != "" {
				p.Lead = name + ": " + text
			}
		}
		slots += len(s.Slots)
		if len(s.Slots) > 1 && len(p.Figures) < mostCharts && (slots <= mostSlots || i == 0) {
			p.series(s, name)
		}
	}
	if len(p.Figures) < 2*len(v.Series) {
		p.Notes = append(p.Notes, "Of "+format.Plural(len(v.Series), "series", "series")+
			", the charts show those measured last that have more than one point in time.")
	}
	return p
}

// series draws a series over time.
func (p *Page) series(s *history.SeriesView, name string) {
	from, last := s.Slots[0].From, &s.Slots[len(s.Slots)-1]
	hours := func(t time.Time) float64 { return t.Sub(from).Hours() }
	for _, id := range []history.Figure{history.TTFT, history.TPOT} {
		f := Figure{Title: id.Label() + " of " + name,
			About: "Times in UTC. A point is of the requests of " + format.Limit(float64(last.Width.Milliseconds())) + "."}
		line := func(name string, role themes.Role, q func(*history.Quantiles) float64) {
			f.curve(name, role, len(s.Slots), func(i int) chart.Point {
				x := &s.Slots[i].Figures[id]
				return at(hours(s.Slots[i].From.Add(last.Width/2)), metrics.Value{V: q(x), OK: x.N > 0}, 0)
			}).Loose = true
		}
		line("p90", themes.Dim, func(q *history.Quantiles) float64 { return q.P90 })
		line("median", themes.PerUser, func(q *history.Quantiles) float64 { return q.P50 })
		for _, c := range s.Changes {
			if c.Figure == id {
				f.Plot.Rules = append(f.Plot.Rules, chart.Rule{At: hours(c.At), Vertical: true, Role: themes.Warn,
					Label: format.Figure(id, c.Before) + " → " + format.Figure(id, c.After)})
			}
		}
		f.Plot.X.Span(0, hours(last.From.Add(last.Width)), 3, func(at float64) string {
			return from.Add(time.Duration(at * float64(time.Hour))).UTC().Format("02 Jan 15:04")
		})
		p.fit(&f, format.Limit)
	}
}
