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
	"tokscope/metrics/racestat"
	"tokscope/metrics/watchstat"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/format"
	"tokscope/ui/report"
	"tokscope/ui/say"
)

// Name is a line of the legend of a chart.
type Name struct {
	Role themes.Role
	Text string
}

// curve adds a line of n points, those without a value left out, and its name.
func (f *Figure) curve(name string, role themes.Role, n int, point func(i int) (x float64, y metrics.Value),
) *chart.Line {
	l := f.Plot.Line(role)
	for i := range n {
		if x, y := point(i); y.OK {
			l.Points = append(l.Points, chart.Point{X: x, Y: y.V})
		}
	}
	if len(l.Points) > 0 && name != "" {
		f.Names = append(f.Names, Name{role, name})
	}
	return l
}

// manyfold is the ratio of values from which on an axis is logarithmic.
const manyfold = 20

// scale makes an axis for these values.
func scale(a *chart.Axis, lo, hi float64, label func(float64) string) {
	if lo > 0 && hi > manyfold*lo {
		a.Decades(lo, hi, label)
	} else {
		a.Linear(hi, label)
	}
}

// fit makes the vertical axes, left labels those of the left, and adds the chart to the page
// where it has a point.
func (p *Page) fit(f *Figure, left func(float64) string) {
	var ends [2][]float64
	for _, l := range f.Plot.Lines {
		side := format.Either(l.Right, 1, 0)
		for _, q := range l.Points {
			ends[side] = append(ends[side], q.Y)
		}
	}
	f.Plot.LeftRole = themes.Dim
	if ends[1] != nil { // two units, each in the color of its line
		f.Plot.LeftRole, f.Plot.RightRole = f.Plot.Lines[0].Role, f.Plot.Lines[1].Role
		f.Plot.Right.Linear(slices.Max(ends[1]), chart.Number)
	}
	if ends[0] != nil {
		if f.Plot.Left.Ticks == nil {
			scale(&f.Plot.Left, slices.Min(ends[0]), slices.Max(ends[0]), left)
		}
		p.Figures = append(p.Figures, *f)
	}
}

// Load returns the page of a load: d is its report.
func Load(r *report.Sweep, d *report.Doc) *Page {
	p := &Page{Kind: "load", Doc: d, Defines: []figure.ID{figure.TTFT, figure.Speed, figure.Throughput, figure.Gap}}
	if r.Depth != nil {
		p.depth(r.Depth.Rows)
		return p
	}
	n, open := len(r.Steps), len(r.Plan.Rates) > 0
	if n == 0 {
		return p
	}
	load := func(i int) float64 { return format.Either(open, r.Steps[i].Rate, float64(r.Steps[i].Point.Users)) }
	over := format.Either(open, "requests per second", "users")
	about := "The number of " + over + " grows to the right. Filled points are steady, hollow ones are not."
	charts := [...]Figure{{Title: "Speed over " + over, About: about},
		{Title: "Time to first token over " + over, About: about}}
	line := func(k int, name string, role themes.Role, right bool, of func(*loadstat.Point) metrics.Value) {
		var marks []rune
		l := charts[k].curve(name, role, n, func(i int) (float64, metrics.Value) {
			v := of(&r.Steps[i].Point)
			if v.OK {
				marks = append(marks, format.Either(r.Steps[i].Point.Steady, '●', '○'))
			}
			return load(i), v
		})
		l.Right = right
		for i := range l.Points {
			l.Points[i].Mark = marks[i]
		}
	}
	line(0, "per user, tok/s", themes.PerUser, false, func(q *loadstat.Point) metrics.Value { return q.Speed })
	line(0, "aggregate, tok/s", themes.Aggregate, true, func(q *loadstat.Point) metrics.Value { return q.Total })
	line(1, "median", themes.PerUser, false, func(q *loadstat.Point) metrics.Value { return q.TTFT.P50 })
	line(1, "p99", themes.Dim, false, func(q *loadstat.Point) metrics.Value { return q.TTFT.P99 })
	verdicts := r.Verdicts()
	for k := range charts {
		x := &charts[k].Plot.X
		if x.Doublings(2, int(load(n-1))); open {
			x.Decades(load(0), load(n-1), chart.Number)
		}
		if verdicts.Knee >= 0 && !open {
			charts[k].Plot.Rules = append(charts[k].Plot.Rules, chart.Rule{At: load(verdicts.Knee), Vertical: true,
				Role: themes.Dim, Label: "knee"})
		}
		p.fit(&charts[k], format.Either(k == 0, chart.Number, format.Limit))
	}
	for _, o := range r.Plan.SLOs {
		if k := slices.Index([]string{"speed", "ttft"}, o.Name); k >= 0 && k < len(p.Figures) {
			p.Figures[k].Plot.Rules = append(p.Figures[k].Plot.Rules, chart.Rule{At: o.Limit, Role: themes.Warn,
				Label: "objective"})
		}
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
	for _, side := range []struct {
		name string
		role themes.Role
		of   func(*loadstat.DepthRow) *loadstat.DepthSide
	}{
		{"new to the server", themes.Prefill, func(r *loadstat.DepthRow) *loadstat.DepthSide { return &r.Cold }},
		{"known to it", themes.Decode, func(r *loadstat.DepthRow) *loadstat.DepthSide { return &r.Warm }},
	} {
		l := f.curve(side.name, side.role, len(rows), func(i int) (float64, metrics.Value) {
			return float64(rows[i].Depth), side.of(&rows[i]).TTFT
		})
		for i := range l.Points {
			l.Points[i].Mark = '●'
		}
	}
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
		n, value := len(v.Rounds), func(i, lane int) (float64, metrics.Value) {
			r := &v.Rounds[i]
			if r.Dropped || r.Results[lane].Failed() {
				return 0, metrics.Value{}
			}
			return float64(r.N - 1), r.Results[lane].Values[id]
		}
		if v.Swap != nil {
			f.Title, f.About, n = id.Label()+" of every block", "One block after the other.", len(v.Blocks)
			value = func(i, lane int) (float64, metrics.Value) {
				b := &v.Blocks[i]
				return float64(b.N), format.Either(b.Lane == lane, b.Values[id], metrics.Value{})
			}
		}
		for lane := range v.Lanes {
			l := f.curve(say.RaceLetter(lane)+": "+v.Lanes[lane].Label, lanes[lane], n,
				func(i int) (float64, metrics.Value) { return value(i, lane) })
			l.Loose = true
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
			at := format.If(len(c.Pairs) > 1, say.CompareLoad(&c.Pairs[i].A))
			f := Figure{Title: format.Join(", ", id.Label()+" of both", at),
				About: "How large a share of the requests was at most so long. The line further to the left is faster."}
			for k, values := range [][]float64{r.ValuesA, r.ValuesB} {
				f.curve([]string{"A", "B"}[k], lanes[k], 2*len(values), func(i int) (float64, metrics.Value) { // steps
					return values[i/2], metrics.Known(float64((i+1)/2)/float64(len(values)), 1)
				})
			}
			scale(&f.Plot.X, min(r.ValuesA[0], r.ValuesB[0]), max(r.ValuesA[r.NA-1], r.ValuesB[r.NB-1]), format.Limit)
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

// History returns the page of a part of the history: d is its report, now says how the newest runs
// of each series are.
func History(v *history.View, now []watchstat.View, d *report.Doc) *Page {
	p := &Page{Kind: "history", Doc: d, Defines: []figure.ID{figure.TTFT, figure.TPOT, figure.Failures}}
	name := func(s *history.SeriesView) string { return format.Join(" · ", say.HistorySeries(&s.Series)...) }
	if len(v.Series) > 0 {
		first := &v.Series[0]
		p.When = first.Last
		if text := say.HistoryLately(&now[0], first.Last); text != "" {
			p.Lead = name(first) + ": " + text
		}
	}
	slots := 0
	for i := range v.Series {
		s := &v.Series[i]
		slots += len(s.Slots)
		if len(s.Slots) > 1 && len(p.Figures) < mostCharts && (slots <= mostSlots || i == 0) {
			p.series(s, name(s))
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
			f.curve(name, role, len(s.Slots), func(i int) (float64, metrics.Value) {
				x := &s.Slots[i].Figures[id]
				return hours(s.Slots[i].From.Add(last.Width / 2)), metrics.Value{V: q(x), N: x.N, OK: x.N > 0}
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
