package smoke

import (
	"time"

	"tokscope/metrics/history"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
)

// Data is what the chart shows. The chart keeps nothing of it but the columns
// that it computed.
type Data struct {
	Slots  []history.Slot // ascending; those outside From and To are not drawn
	Figure history.Figure
	// From and To are the ends of the axis of time; To is exclusive.
	From, To time.Time
	Baseline *history.Baseline // nil without one
	Changes  []history.Change  // ascending; those of other figures are not drawn
	// SignFrom is the ratio from which a change has a sign and words, either way;
	// a smaller one has its line alone. 0 gives every change a sign.
	SignFrom float64
	// At is the moment of the cursor, zero without one.
	At time.Time
	// Linear makes the vertical axis linear around the values; else it is
	// logarithmic.
	Linear bool
	// Version changes whenever Slots or Baseline do.
	Version uint64
}

// baseline returns the baseline's quantiles of the figure, N 0 without one.
func (d *Data) baseline() history.Quantiles {
	if d.Baseline == nil {
		return history.Quantiles{}
	}
	return d.Baseline.Figures[d.Figure]
}

// HalfFrom is the number of values from which a column shows its middle half:
// that of fewer is not a distribution.
const HalfFrom = 4

// signed reports whether a change has a sign, and its column.
func (c *Chart) signed(d *Data, g *history.Change) (x int, ok bool) {
	if g.Figure != d.Figure || d.SignFrom > 1 && g.Ratio < d.SignFrom && g.Ratio > 1/d.SignFrom {
		return 0, false
	}
	return c.place(d, g.At)
}

// AxisWidth is the width of the numbers at the left, with the line.
const AxisWidth = 8

// Sizes below which parts are left out.
const (
	// LeastW and LeastH are the smallest chart. A smaller one stays blank.
	LeastW, LeastH = AxisWidth + 4, 4
	marksFrom      = 6 // rows: failures have one of their own
	changesFrom    = 8 // rows: changes as well
)

// Chart draws smoke charts. It keeps its columns until the data changes. The
// zero value is ready. It is not safe for concurrent use.
type Chart struct {
	area draw.Rect // all of it
	plot draw.Rect // the bands

	key   key
	cols  []column
	mixed []history.Quantiles
	signs []int       // columns of changes
	y     chart.Scale // the vertical axis
	step  float64     // between its numbers; 0 on a logarithmic one
}

// key is what the columns depend on.
type key struct {
	version  uint64
	figure   history.Figure
	from, to time.Time
	w, h     int
	linear   bool
	drawn    bool
}

// Draw draws the chart into r and touches nothing outside. Any size works.
func (c *Chart) Draw(p *draw.Canvas, r draw.Rect, d *Data) {
	if r.W < LeastW || r.H < LeastH {
		return
	}
	defer p.Grid.Clip(r)()
	above := 0
	if r.H >= marksFrom {
		above++
	}
	if r.H >= changesFrom {
		above++
	}
	c.area = r
	c.plot = draw.Rect{X: r.X + AxisWidth, Y: r.Y + above, W: r.W - AxisWidth, H: r.H - above - 2}
	k := key{d.Version, d.Figure, d.From, d.To, c.plot.W, c.plot.H, d.Linear, true}
	if k != c.key {
		c.key = k
		c.fill(d)
		c.fit(d)
	}
	c.values(p, d)
	c.times(p, d)
	c.bands(p)
	c.guides(p, d)
	c.marks(p, d)
}

// bands draws the quantiles of every column.
func (c *Chart) bands(p *draw.Canvas) {
	for x := range c.cols {
		q := &c.cols[x].q
		if q.N == 0 {
			continue
		}
		top, above := c.y.Row(q.Max)
		bottom, below := c.y.Row(q.Min)
		mid, _ := c.y.Row(q.P50)
		upper, lower := mid, mid
		if q.N >= HalfFrom {
			upper, _ = c.y.Row(q.P75)
			lower, _ = c.y.Row(q.P25)
		}
		for y := top; y <= bottom; y++ {
			r, role := p.Glyphs.LightShade, themes.Dim
			switch {
			case y == mid:
				r, role = p.Glyphs.Heavy, themes.PerUser
			case y >= upper && y <= lower:
				r, role = p.Glyphs.MidShade, themes.PerUser
			case y == top && above > 0:
				r = p.Glyphs.Up
			case y == bottom && below < 0:
				r = p.Glyphs.Down
			}
			p.Grid.Set(c.plot.X+x, c.plot.Y+y, r, role)
		}
	}
}

// free reports whether n cells of a row of the plot from column x on hold no
// band.
func (c *Chart) free(x, y, n int) bool {
	if x < 0 || x+n > c.plot.W || y < 0 || y >= c.plot.H {
		return false
	}
	for i := x; i < x+n; i++ {
		if !c.blank(i, y) {
			return false
		}
	}
	return true
}

// blank reports whether a cell of the plot holds no band.
func (c *Chart) blank(x, y int) bool {
	q := &c.cols[x].q
	if q.N == 0 {
		return true
	}
	top, _ := c.y.Row(q.Max)
	bottom, _ := c.y.Row(q.Min)
	return y < top || y > bottom
}
