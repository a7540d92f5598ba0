package smoke

import (
	"math"
	"time"

	"tokscope/metrics/history"
	"tokscope/metrics/pick"
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
	Baseline float64          // the median of what is compared with, 0 without it
	Changes  []history.Change // ascending; one of another figure is named
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

// HalfFrom is the number of values from which a column shows its middle half:
// that of fewer is not a distribution.
const HalfFrom = 4

// signed reports whether a change has a sign, and its column.
func (c *Chart) signed(d *Data, g *history.Change) (x int, ok bool) {
	x, ok = c.place(d, g.At)
	return x, ok && g.Large(d.SignFrom)
}

// AxisWidth is the width of the numbers at the left, with the line.
const AxisWidth = 9

// LeastW and LeastH are the smallest chart. A smaller one stays blank.
const LeastW, LeastH = AxisWidth + 4, 4

// Chart draws smoke charts. It keeps its columns until the data changes. The
// zero value is ready. It is not safe for concurrent use.
type Chart struct {
	area draw.Rect // all of it
	plot draw.Rect // the bands

	key   key
	cols  []column
	most  int // the most values of a column
	mixed []history.Quantiles
	shown [parts]bool // in the last frame
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
	above := min(r.H/2-2, 2) // a row of failures, and one of changes
	c.area = r
	c.plot = draw.Rect{X: r.X + AxisWidth, Y: r.Y + above, W: r.W - AxisWidth, H: r.H - above - 2}
	k := key{d.Version, d.Figure, d.From, d.To, c.plot.W, c.plot.H, d.Linear, true}
	if k != c.key {
		c.key = k
		c.fill(d)
		c.fit(d)
		for x := range c.cols {
			c.stand(&c.cols[x], d)
		}
	}
	c.values(p, d)
	c.times(p, d)
	c.bands(p)
	c.guides(p, d)
	c.marks(p, d)
}

// bands draws the quantiles of every column in dots, two columns and four rows a cell. A
// cell with a median has medians alone, in the color of their value.
func (c *Chart) bands(p *draw.Canvas) {
	c.shown = [parts]bool{}
	for x := range c.plot.W {
		for y := range c.plot.H {
			if part, glyph, role := c.cell(p.Glyphs, x, y); part < parts {
				p.Grid.Set(c.plot.X+x, c.plot.Y+y, glyph, role)
				c.shown[part] = true
			}
		}
	}
}

// cell is what a cell shows of which part: parts for nothing.
func (c *Chart) cell(gl *themes.Glyphs, x, y int) (part part, glyph rune, role themes.Role) {
	low, below := 4*(c.plot.H-1-y), false // the lowest row of dots
	for ; part < parts; part++ {
		for i := range 2 {
			col := &c.cols[2*x+i]
			reach := col.reach[part]
			for dot := max(reach[0], low); col.q.N > 0 && dot <= min(reach[1], low+3); dot++ {
				if part != whole || (dot+i)%2 == 0 || reach[0] == reach[1] {
					glyph = draw.Dot(glyph, i, low+3-dot)
				}
				role, below = col.roles[part], below || col.below
			}
		}
		switch {
		case glyph == 0:
		case part == whole && below && low == 0:
			return part, gl.Down, role
		case gl.ASCII:
			return part, part.sign(gl), role
		default:
			return part, glyph, role
		}
	}
	return parts, 0, 0
}

type part uint8

const (
	median part = iota
	half        // the middle 50 %
	whole
	parts
)

// sign is the part's sign in the legend, and in ASCII in the chart.
func (x part) sign(gl *themes.Glyphs) rune {
	if gl.ASCII {
		return [...]rune{gl.Heavy, gl.MidShade, gl.LightShade}[x]
	}
	return [...]rune{'⠒', '⣿', '⢕'}[x]
}

// stand sets where the quantiles of a column lie on the axis.
func (c *Chart) stand(col *column, d *Data) {
	q := &col.q
	at := func(low, high float64) (reach [2]int) {
		reach[0], _ = c.y.Dot(low)
		reach[1], _ = c.y.Dot(high)
		return reach
	}
	_, off := c.y.Dot(q.Min)
	col.below = off < 0
	col.reach = [parts][2]int{at(q.P50, q.P50), at(q.P50, q.P50), at(q.Min, q.Max)}
	if q.N >= HalfFrom {
		col.reach[half] = at(q.P25, q.P75)
	}
	col.roles = [parts]themes.Role{d.role(q.P50), themes.Dim, themes.Faint}
}

// role is the color of a value: by how far it is from what is usual, where that is known.
func (d *Data) role(v float64) themes.Role {
	times := v / d.usual()
	if !d.Figure.Timed() {
		times = 1 / times
	}
	if !(times > 0) || math.IsInf(times, 1) {
		return themes.PerUser
	}
	return themes.Heat(int(math.Round(math.Log(times) / math.Log(hottest) * (themes.Levels - 1))))
}

// usual is the baseline, else what the figure was before its first change, else 0.
func (d *Data) usual() float64 {
	if d.Baseline > 0 {
		return d.Baseline
	}
	for i := range d.Changes {
		if c := &d.Changes[i]; c.Figure == d.Figure {
			return c.Before
		}
	}
	return 0
}

// hottest is how many times what is usual has the hottest color.
const hottest = 3

// blank reports whether a cell of the plot holds no band.
func (c *Chart) blank(x, y int) bool {
	low := 4 * (c.plot.H - 1 - y)
	return pick.First(c.cols[2*x:2*x+2], func(col *column) bool {
		return col.q.N > 0 && col.reach[whole][0] <= low+3 && col.reach[whole][1] >= low
	}) == nil
}

// column is what one column of dots shows: two are a column of the plot.
type column struct {
	q      history.Quantiles // of its slots; N 0 without a value
	failed int               // requests
	// reach are the lowest and the highest row of dots of the parts, with their colors;
	// below reports that the axis ends above the smallest value.
	reach [parts][2]int
	roles [parts]themes.Role
	below bool
}

// fill distributes the slots over the columns of dots.
func (c *Chart) fill(d *Data) {
	c.cols, c.most = append(c.cols[:0], make([]column, 2*c.plot.W)...), 0
	if !d.To.After(d.From) {
		return
	}
	step := d.To.Sub(d.From).Seconds() / float64(2*c.plot.W)
	first := 0 // slots ascend: those before it end left of the column
	for x := range c.cols {
		col := &c.cols[x]
		c.mixed = c.mixed[:0]
		for i := first; i < len(d.Slots); i++ {
			s := &d.Slots[i]
			from, to := c.span(d, s, step)
			if from > x {
				break
			}
			if to <= x {
				first = i + 1
				continue
			}
			col.failed += s.Failed
			c.mixed = append(c.mixed, s.Figures[d.Figure])
		}
		switch len(c.mixed) {
		case 0:
		case 1:
			col.q = c.mixed[0]
		default:
			col.q = history.Mix(c.mixed...)
		}
		c.most = max(c.most, col.q.N)
	}
}

// span returns the columns of a slot: those whose middle it holds, else the one
// that holds its own middle. Of a slot outside the plot they lie there; one that is
// partly inside has a column of the plot.
func (c *Chart) span(d *Data, s *history.Slot, step float64) (from, to int) {
	at := s.From.Sub(d.From).Seconds() / step
	w := s.Width.Seconds() / step
	from, to = ceil(at-0.5), ceil(at+w-0.5)
	if from >= to {
		from = floor(at + w/2)
		to = from + 1
	}
	if columns := 2 * c.plot.W; at < float64(columns) && at+w > 0 {
		from, to = min(from, columns-1), max(to, 1)
	}
	return from, to
}

// place returns the column of a moment, false outside the plot.
func (c *Chart) place(d *Data, t time.Time) (x int, ok bool) {
	if t.Before(d.From) || !t.Before(d.To) {
		return 0, false
	}
	x = floor(t.Sub(d.From).Seconds() / d.To.Sub(d.From).Seconds() * float64(c.plot.W))
	return min(x, c.plot.W-1), true
}
