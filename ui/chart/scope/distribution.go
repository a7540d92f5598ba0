package scope

import (
	"math"
	"slices"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// counts are the known gaps of a stream by row of cells, from the bottom, and those
// outside of the axis.
type counts struct {
	id           int
	y            chart.Scale
	done         int // chunks counted
	rows         []int
	most         int
	above, below int
}

// update counts the chunks that are new.
func (c *counts) update(s *metrics.Stream, y chart.Scale) {
	if c.id != s.ID || c.y != y || c.done > len(s.Chunks) {
		*c = counts{id: s.ID, y: y, rows: slices.Grow(c.rows[:0], y.Rows)[:y.Rows]}
		clear(c.rows)
	}
	for ; c.done < len(s.Chunks); c.done++ {
		if ms, ok := s.Gap(c.done); ok {
			switch dot, off := y.Dot(ms); {
			case off > 0:
				c.above++
			case off < 0:
				c.below++
			default:
				c.rows[dot/4]++
				c.most = max(c.most, c.rows[dot/4])
			}
		}
	}
}

// dotBar draws a bar of w columns, filled to frac, of dots as the trace has
// them. A solid one would be seen before the figures. It is exact to half a dot,
// and has at least one column of dots. In ASCII it is a row of "#".
func dotBar(p *draw.Canvas, x, y, w int, frac float64, st themes.Role) {
	if p.Glyphs.ASCII {
		p.Grid.HBar(x, y, w, frac, p.Glyphs, st)
		return
	}
	dots := max(int(math.Round(frac*float64(2*w))), 1)
	p.Grid.Across(x, y, dots/2, '⣿', st)
	if dots%2 == 1 {
		p.Grid.Set(x+dots/2, y, '⡇', st)
	}
}

// distribution draws how many known gaps each row of the axis holds and how many lie
// outside, and their percentiles, as on the axis: the long ones above, p50 below. A row
// has the color of its middle.
func (s *Scope) distribution(p *draw.Canvas, r draw.Rect, d *Data) {
	p.Grid.Down(r.X, r.Y, r.H, p.Glyphs.V, themes.Border)
	in := draw.Rect{X: r.X + 2, Y: r.Y, W: r.W - 2, H: r.H}
	s.counts.update(d.Stream, s.y)
	longest := max(in.W/2, 1) // over all of it, the bar of a steady stream would be seen before the figures
	for row := range s.plot.H {
		if n := s.counts.rows[s.plot.H-1-row]; n > 0 && !d.Figures.AtOnce() {
			role := heat(s.y.Value(float64(4*(s.plot.H-row) - 2)))
			dotBar(p, in.X, s.plot.Y+row, longest, float64(n)/float64(s.counts.most), role)
		}
	}
	g := &d.Figures.Gaps
	if s.edges.above < s.plot.Y && g.N > 0 {
		l := p.Row(in, s.edges.above-r.Y)
		for _, of := range [...]struct {
			n    int
			word string
		}{{s.counts.above, " above"}, {s.counts.below, " below"}} {
			if of.n > 0 && l.Whole(themes.Dim, p.Join(p.Count(of.n), of.word)) {
				l.Skip(2)
			}
		}
	}
	below := s.plot.Bottom() - r.Y
	if below >= r.H {
		s.percentile(p, p.Row(in, 0), "p50 ", g.P50, g.Missing.P50)
		return
	}
	s.percentile(p, p.Row(in, 0), "p99 ", g.P99, g.Missing.P99)
	p95 := 1
	if s.edges.above-r.Y <= p95 { // taken
		p95, below = below, below+1
	}
	s.percentile(p, p.Row(in, p95), "p95 ", g.P95, g.Missing.P95)
	s.percentile(p, p.Row(in, below), "p50 ", g.P50, g.Missing.P50)
}

// percentile writes a percentile with its bound, or why it is unknown.
func (s *Scope) percentile(p *draw.Canvas, l draw.Line, name string, v metrics.Value, b metrics.Bound) {
	l.Write(themes.Dim, name)
	if v.OK {
		l.Write(themes.Text, p.Bounded(v, b))
		return
	}
	l.Write(themes.Dim, draw.Unknown)
	if v.Why != 0 && (name == "p50 " || s.counts.most > 0) {
		l.Skip(1)
		l.Whole(themes.Dim, format.Why(v.Why))
	}
}
