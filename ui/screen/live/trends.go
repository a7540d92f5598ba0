package live

import (
	"cmp"
	"slices"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// trendMost is how many runs a trend spans: as many as fit under a figure.
const trendMost = 12

// trends are the last runs that can be compared with the present one, the
// newest last: a row of bars under each of the three figures. Failed runs are
// among them.
type trends struct {
	runs []*metrics.Run
	all  int // comparable runs of the session
	vals []float64
}

// collect takes the comparable runs of v. Their pointers stay valid, because
// the session replaces its runs and never changes them.
func (s *trends) collect(v *View) {
	s.runs, s.all = s.runs[:0], 0
	if v.Stream.State == metrics.Idle {
		return
	}
	for i := range v.Runs {
		r := &v.Runs[i]
		if r.Stream.State != metrics.Cancelled && sameWork(&r.Stream, &v.Stream) {
			s.runs = append(s.runs, r)
		}
	}
	s.all = len(s.runs)
	s.runs = s.runs[max(s.all-trendMost, 0):]
}

// of is a figure of a run by its column: TTFT, TPOT, speed in the chosen unit.
func (p *canvas) of(f *metrics.Figures, column int) metrics.Value {
	switch {
	case column == 0:
		return f.TTFT
	case column == 1 || p.v.Units == Units[2]:
		return f.TPOT
	case p.v.Units == Units[1]:
		return f.WPM
	}
	return f.Speed
}

// draw writes one trend into l: a bar a run, then its smallest and largest
// value. It draws as many of the newest runs as there are columns, at most
// most.
//
// A bar is the share of its value in twice the median, or in the largest value
// if that is more. An even trend is then half as high as a full bar, noise
// stays small, and a value twice as large is twice as high. The bars of runs
// over another kind of connection are dim.
func (s *trends) draw(p *canvas, l *line, column, most int) {
	runs := s.runs[max(len(s.runs)-min(most, l.Left()), 0):]
	if len(runs) < 2 {
		return
	}
	s.vals = s.vals[:0]
	for _, r := range runs {
		if v := p.of(&r.Figures, column); v.OK && r.Stream.State == metrics.Done {
			s.vals = append(s.vals, v.V)
		}
	}
	if len(s.vals) == 0 {
		return
	}
	slices.SortFunc(s.vals, cmp.Compare)
	low, high := s.vals[0], s.vals[len(s.vals)-1]
	full := max(2*s.vals[len(s.vals)/2], high)
	for _, r := range runs {
		v, role := p.of(&r.Figures, column), themes.Text
		if !pooled(&r.Stream, &p.v.Stream) {
			role = themes.Dim
		}
		switch {
		case r.Stream.State != metrics.Done:
			p.Grid.Set(l.X, l.Y, p.Glyphs.Fail, themes.Bad)
		case v.OK && full > 0:
			p.Grid.Bar(l.X, l.Y, 1, v.V/full, p.Glyphs, role)
		default:
			p.Grid.Set(l.X, l.Y, p.Glyphs.Unknown, themes.Dim)
		}
		l.Skip(1)
	}
	l.Skip(1)
	text := p.Number(low)
	if column == 0 || column == 1 || p.v.Units == Units[2] {
		text = p.bare(metrics.Known(low, 0))
	}
	if other := p.valueText(high, column); other != text {
		text = p.Join(text, "–", other)
	}
	l.Whole(themes.Dim, text)
}

// valueText is a value of a trend, without ms.
func (p *canvas) valueText(v float64, column int) string {
	if column < 2 || p.v.Units == Units[2] {
		return p.bare(metrics.Known(v, 0))
	}
	return p.Number(v)
}

// span says what the trends span: "last 12 of 20 runs", "" without a trend.
func (s *trends) span(p *canvas) string {
	n := len(s.runs)
	switch {
	case n < 2:
		return ""
	case n < s.all:
		return p.Join("trend: last ", p.Count(n), " of ", p.Count(s.all), " runs")
	}
	return p.Join("trend: ", p.Count(n), " runs")
}

// barsMost is how many bars stand under a figure before their range. The range
// needs eleven columns.
func barsMost(w int) int { return min(max(w-12, 4), trendMost) }

// trendRow writes, below the three figures, the differences to the pinned run,
// and behind them the trends.
func (s *now) trendRow(p *canvas, in draw.Rect, row int) {
	if row >= in.H {
		return
	}
	text, pinned := p.differences()
	x := in.X
	for i, w := range figureColumns(in.W) {
		l := p.Line(x, in.Y+row, w-1)
		if pinned {
			if i == 0 {
				l.Whole(themes.Aggregate, p.Join("vs #", p.Int(p.pinned.Stream.ID), " "))
			}
			l.Whole(themes.Text, text[i])
			l.Skip(1)
		}
		if l.Left() >= 3 {
			p.trends.draw(p, &l, i, min(barsMost(w), l.Left()))
		}
		x += w
	}
}

// trendLine writes the trends of TTFT and speed into what is left of a row.
func (s *runs) trendLine(p *canvas, l *line) {
	if len(p.trends.runs) < 2 || l.Left() < 40 {
		return
	}
	for _, c := range [...]struct {
		name   string
		column int
	}{{"TTFT ", 0}, {"speed ", 2}} {
		end := l.End
		l.Write(themes.Dim, c.name)
		l.End = min(l.X+barsMost(20)+12, end)
		p.trends.draw(p, l, c.column, barsMost(20))
		l.End = end
		l.Skip(2)
	}
	l.Whole(themes.Dim, p.Join("last ", p.Count(min(len(p.trends.runs), barsMost(20)))))
}
