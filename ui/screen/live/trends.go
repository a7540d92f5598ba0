package live

import (
	"cmp"
	"math"
	"slices"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// trendMost is how many runs a trend spans: as many as fit under a big figure,
// also in the narrowest panel that has one.
const trendMost = 12

// trends are the last runs of the same work as the present one, the newest last: a
// row of bars under each of the three figures. Failed runs are among them. Their
// pointers stay valid, because the session replaces its runs and never changes them.
type trends struct {
	runs  []*metrics.Run
	other []bool // over another kind of connection
	all   int    // such runs of the session
	vals  []float64
}

// add appends a run: alike, over the same kind of connection.
func (s *trends) add(r *metrics.Run, alike bool) {
	if s.all++; len(s.runs) == trendMost {
		s.runs, s.other = slices.Delete(s.runs, 0, 1), slices.Delete(s.other, 0, 1)
	}
	s.runs, s.other = append(s.runs, r), append(s.other, !alike)
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

// draw writes one trend into l: a bar a run, and with spread their smallest and
// largest value. It draws as many of the newest runs as there are columns, at
// most most.
//
// A bar is the share of its value in twice the median of the trend, or in its
// largest value if that is more. An even trend is then half as high as a full
// bar, noise stays small, and a value twice as large is twice as high. The bars
// of runs over another kind of connection are dim.
func (s *trends) draw(p *canvas, l *line, column, most int, spread bool) {
	first := max(len(s.runs)-min(most, l.Left()), 0)
	runs, other := s.runs[first:], s.other[first:]
	full := s.scale(p, column)
	if len(runs) < 2 {
		return
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i, r := range runs {
		v, role := p.of(&r.Figures, column), format.Either(other[i], themes.Dim, themes.Text)
		switch {
		case r.Stream.State != metrics.Done:
			p.Grid.Set(l.X, l.Y, p.Glyphs.Fail, themes.Bad)
		case v.OK && full > 0:
			p.Grid.Bar(l.X, l.Y, 1, v.V/full, p.Glyphs, role)
			low, high = min(low, v.V), max(high, v.V)
		default:
			p.Grid.Set(l.X, l.Y, p.Glyphs.Unknown, themes.Dim)
		}
		l.Skip(1)
	}
	if !spread || low > high {
		return
	}
	l.Skip(1)
	text := p.valueText(low, column)
	if other := p.valueText(high, column); other != text {
		text = p.Join(text, "–", other)
	}
	l.Whole(themes.Dim, text)
}

// scale is the value of a full bar, 0 where no run of the trend has a value.
func (s *trends) scale(p *canvas, column int) float64 {
	s.vals = s.vals[:0]
	for _, r := range s.runs {
		if v := p.of(&r.Figures, column); v.OK && r.Stream.State == metrics.Done {
			s.vals = append(s.vals, v.V)
		}
	}
	if len(s.vals) == 0 {
		return 0
	}
	slices.Sort(s.vals)
	return max(2*s.vals[len(s.vals)/2], s.vals[len(s.vals)-1])
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

// differences are the three figures of the stream less those of the pinned run, "–"
// where one of both is unknown: TTFT as soon as there is one, the others of whole answers
// only. ok is false without another run to compare with.
func (p *canvas) differences() (text [3]string, ok bool) {
	r := p.v.Pinned
	if r == nil || r.Stream.ID == p.v.Stream.ID || p.v.Stream.State == metrics.Idle {
		return text, false
	}
	for i := range text {
		a, b := p.of(&p.v.Figures, i), p.of(&r.Figures, i)
		sign := format.Either(a.V > b.V, "+", "")
		switch {
		case i > 0 && !p.v.Stream.State.Ended():
			text[i] = format.If(i == 1, "at the end")
		case !a.OK || !b.OK:
			text[i] = draw.Unknown
		case i < 2 || p.v.Units == Units[2]:
			text[i] = p.Join(sign, p.Ms(a.V-b.V))
		default:
			text[i] = p.Join(sign, p.Number(a.V-b.V), " ", cmp.Or(p.v.Units, Units[0]))
		}
	}
	return text, true
}

// trendRow writes, below the three figures, the differences to the pinned run,
// and behind them the trends.
func (p *canvas) trendRow(in draw.Rect, row int) {
	if row >= in.H {
		return
	}
	text, pinned := p.differences()
	x := in.X
	for i, w := range figureColumns(in.W) {
		l := p.Line(x, in.Y+row, w)
		if pinned {
			if i == 0 {
				l.Whole(themes.Aggregate, p.Join("vs #", p.Int(p.v.Pinned.Stream.Number()), " "))
			}
			l.Whole(themes.Text, text[i])
			l.Skip(1)
		}
		if l.End--; l.Left() >= 3 {
			p.trends.draw(p, &l, i, trendMost, !pinned)
		}
		x += w
	}
}

func (s *runs) differenceLine(p *canvas, l line) bool {
	text, ok := p.differences()
	if !ok {
		return false
	}
	l.Skip(1)
	l.Write(themes.Aggregate, p.Join("run ", p.Int(p.v.Stream.Number()), " vs #", p.Int(p.v.Pinned.Stream.Number()), ":"))
	for i, name := range [...]string{"  TTFT ", "  TPOT ", "  speed "} {
		if text[i] == "" || draw.Width(name)+draw.Width(text[i]) > l.Left() {
			break
		}
		l.Write(themes.Dim, name)
		l.Write(themes.Text, text[i])
	}
	return true
}
