package smoke

import (
	"math"
	"slices"
	"time"

	"tokscope/metrics/history"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

func floor(v float64) int { return int(math.Floor(min(max(v, -1e9), 1e9))) }
func ceil(v float64) int  { return int(math.Ceil(min(max(v, -1e9), 1e9))) }

// fit sets the vertical axis to what the columns and the baseline hold. Its ends
// are round, so they change rarely.
func (c *Chart) fit(d *Data) {
	lo, hi := math.Inf(1), math.Inf(-1)
	hold := func(v float64) {
		if v > 0 || v == 0 && d.Linear {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	for x := range c.cols {
		if q := &c.cols[x].q; q.N > 0 {
			hold(q.Min)
			hold(q.Max)
			hold(q.P50) // above 0 where the shortest is not
		}
	}
	if q := d.baseline(); q.N > 0 {
		hold(q.P50)
	}
	if lo > hi { // nothing is known: an axis without numbers
		c.axis = chart.Axis{Max: 1}
		return
	}
	if !d.Linear {
		c.decades(lo, hi)
		return
	}
	if hi-lo < hi*1e-3 || hi == 0 {
		lo, hi = lo-max(hi*0.05, 0.5e-3), hi+max(hi*0.05, 0.5e-3)
	}
	step := nice((hi - lo) / 4)
	from, to := math.Floor(lo/step+1e-9), math.Ceil(hi/step-1e-9)
	from = max(from, 0)
	c.axis.Span(from*step, to*step, max(int(math.Round(to-from)), 1), func(float64) string { return "" })
}

// roundEnds are the ends of the logarithmic axis, times a power of ten.
var roundEnds = [...]float64{1, 1.5, 2, 3, 5, 7, 10}

// leastRatio is the least ratio of the ends of the logarithmic axis: usual noise
// shall not fill it. The linear axis is for detail.
const leastRatio = 3.9

// nextEnd returns the round end above v, and below -v for a negative one.
func nextEnd(v float64) float64 {
	a := math.Abs(v)
	unit := math.Pow(10, math.Floor(math.Log10(a)+1e-9))
	if v > 0 {
		for _, e := range roundEnds {
			if e*unit > a*(1+1e-9) {
				return e * unit
			}
		}
		return 15 * unit
	}
	for _, e := range slices.Backward(roundEnds[:]) {
		if e*unit < a*(1-1e-9) {
			return -e * unit
		}
	}
	return -unit * .7
}

// mostDecades bounds the logarithmic axis; what lies below is an arrow.
const mostDecades = 1e5

// decades makes the axis logarithmic from lo to hi, with a tick at 1, 2 and 5
// times each power of ten.
func (c *Chart) decades(lo, hi float64) {
	lo = max(lo, hi/mostDecades)
	unit := math.Pow(10, math.Floor(math.Log10(lo)+1e-9))
	least := unit
	for _, e := range roundEnds {
		if e*unit <= lo*(1+1e-9) {
			least = e * unit
		}
	}
	unit = math.Pow(10, math.Floor(math.Log10(hi)+1e-9))
	most := 10 * unit
	for _, e := range slices.Backward(roundEnds[:]) {
		if e*unit >= hi*(1-1e-9) {
			most = e * unit
		}
	}
	for up := true; most < least*leastRatio; up = !up {
		if up {
			most = nextEnd(most)
		} else {
			least = -nextEnd(-least)
		}
	}
	if c.axis.Log && c.axis.Min == least && c.axis.Max == most {
		return
	}
	c.axis = chart.Axis{Min: least, Max: most, Log: true, Ticks: c.axis.Ticks[:0]}
	for unit = math.Pow(10, math.Floor(math.Log10(least)+1e-9)); unit <= most; unit *= 10 {
		for _, m := range [...]float64{1, 2, 5} {
			if v := m * unit; v >= least*(1-1e-9) && v <= most*(1+1e-9) {
				c.axis.Ticks = append(c.axis.Ticks, chart.Tick{At: v})
			}
		}
	}
}

// nice returns the smallest 1, 2 or 5 times a power of ten from v on.
func nice(v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range [...]float64{1, 2, 5} {
		if m*unit >= v*(1-1e-9) {
			return m * unit
		}
	}
	return 10 * unit
}

// row returns the row of the plot that holds v, 0 at the top. The ends of the
// axis lie in the middle of the outer rows. off is 1 where v lies above the
// plot and -1 where it lies below; the row is then the outermost.
func (c *Chart) row(v float64) (y, off int) {
	a := &c.axis
	f := (v - a.Min) / (a.Max - a.Min)
	if a.Log {
		f = math.Inf(-1)
		if v > 0 {
			f = math.Log(v/a.Min) / math.Log(a.Max/a.Min)
		}
	}
	switch h := math.Floor(f*float64(c.plot.H-1) + 0.5); {
	case h >= float64(c.plot.H):
		return 0, 1
	case !(h >= 0):
		return c.plot.H - 1, -1
	default:
		return c.plot.H - 1 - int(h), 0
	}
}

// values draws the vertical axis with its numbers. The decades come first; a
// two or a five needs a blank row on both sides.
func (c *Chart) values(p *draw.Canvas, d *Data) {
	x := c.plot.X - 1
	for y := c.area.Y; y < c.plot.Bottom(); y++ {
		p.Grid.Set(x, y, p.Glyphs.AxisV, themes.Axis)
	}
	taken := map[int]bool{}
	write := func(v float64, near int) {
		y, off := c.row(v)
		if off != 0 {
			return
		}
		for i := y - near; i <= y+near; i++ {
			if taken[i] {
				return
			}
		}
		taken[y] = true
		p.Grid.Right(x-1, c.plot.Y+y, p.Chrome(p.Keep(appendTick(p.Scratch(), d.Figure, v))), themes.Axis, AxisWidth-2)
		p.Grid.Set(x, c.plot.Y+y, p.Glyphs.AxisTick, themes.Axis)
	}
	for _, t := range c.axis.Ticks {
		if !c.axis.Log || isDecade(t.At) {
			write(t.At, 0)
		}
	}
	for _, t := range c.axis.Ticks {
		write(t.At, 1)
	}
}

func isDecade(v float64) bool {
	l := math.Log10(v)
	return math.Abs(l-math.Round(l)) < 1e-6
}

// appendTick writes a number of the vertical axis.
func appendTick(b []byte, f history.Figure, v float64) []byte {
	switch {
	case !f.Timed():
		return format.AppendExact(b, math.Round(v*1e6)/1e6)
	case v > 0 && v < 0.9995e-3:
		return append(format.AppendExact(b, math.Round(v*1e9)/1e3), " ns"...)
	case v > 0 && v < 0.9995:
		return append(format.AppendExact(b, math.Round(v*1e6)/1e3), " µs"...)
	}
	return format.AppendLimit(b, math.Round(v*1e6)/1e6)
}

// steps of the axis of time, in seconds; beyond them it has months.
var steps = []int64{
	1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 14400, 21600, 43200,
	day, 2 * day, 7 * day, 14 * day,
}

const day = 86400

// months are the steps beyond those.
var months = []int{1, 3, 6, 12, 24, 60, 120}

// tickRoom is the least distance of two numbers of the axis of time.
const tickRoom = 12

// times draws the axis of time, in UTC. Midnight is a date.
func (c *Chart) times(p *draw.Canvas, d *Data) {
	y := c.plot.Bottom()
	p.Grid.Set(c.plot.X-1, y, p.Glyphs.BL, themes.Axis)
	for x := c.plot.X; x < c.plot.Right(); x++ {
		p.Grid.Set(x, y, p.Glyphs.H, themes.Axis)
	}
	c.moments(p, d)
	if i, ok := c.place(d, d.At); ok {
		sign := p.Glyphs.Stall
		if p.Glyphs.ASCII { // its sign of a stall is an exclamation mark
			sign = p.Glyphs.Up
		}
		p.Grid.Set(c.plot.X+i, y, sign, themes.Accent)
	}
}

// moments writes the round moments of the axis of time.
func (c *Chart) moments(p *draw.Canvas, d *Data) {
	span := d.To.Sub(d.From).Seconds()
	if !(span > 0) {
		return
	}
	end := c.plot.X - 1
	column := span / float64(c.plot.W)
	for _, step := range steps {
		if float64(step) < column*tickRoom {
			continue
		}
		layout := "15:04"
		if step < 60 {
			layout = "15:04:05"
		}
		at := d.From.Unix()
		for at += ((-at)%step + step) % step; at <= d.To.Unix(); at += step {
			if at%day == 0 {
				c.moment(p, d, time.Unix(at, 0), "2 Jan", &end)
			} else {
				c.moment(p, d, time.Unix(at, 0), layout, &end)
			}
		}
		return
	}
	for _, step := range months {
		if float64(step)*28*day < column*tickRoom {
			continue
		}
		year := d.From.UTC().Year()
		for m := 0; ; m += step {
			at := time.Date(year, time.Month(1+m), 1, 0, 0, 0, 0, time.UTC)
			if !at.Before(d.To) {
				return
			}
			c.moment(p, d, at, "Jan 2006", &end)
		}
	}
}

// moment marks a moment on the axis, with its words where they do not touch
// those that end at end.
func (c *Chart) moment(p *draw.Canvas, d *Data, at time.Time, layout string, end *int) {
	i, ok := c.place(d, at)
	if !ok {
		return
	}
	x, y := c.plot.X+i, c.plot.Bottom()
	p.Grid.Set(x, y, p.Glyphs.TeeB, themes.Axis)
	text := p.Keep(at.UTC().AppendFormat(p.Scratch(), layout))
	from := max(x-len(text)/2, c.plot.X)
	if from > *end && from+len(text) <= c.plot.Right() {
		p.Grid.Text(from, y+1, text, themes.Axis, len(text))
		*end = from + len(text)
	}
}
