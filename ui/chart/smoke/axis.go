package smoke

import (
	"math"
	"slices"
	"strings"
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
	c.y, c.step = chart.Scale{Rows: c.plot.H}, 0
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
	if d.Baseline > 0 {
		hold(d.Baseline)
	}
	if lo > hi { // nothing is known: an axis without numbers
		c.y.Min, c.y.Max = 0, 1
		return
	}
	c.y.Ends = true
	if !d.Linear {
		c.decades(lo, hi)
		return
	}
	if hi-lo < hi*1e-3 || hi == 0 {
		lo, hi = lo-max(hi*0.05, 0.5e-3), hi+max(hi*0.05, 0.5e-3)
	}
	c.step = chart.Nice((hi - lo) / 4)
	c.y.Min = max(math.Floor(lo/c.step+1e-9), 0) * c.step
	c.y.Max = math.Ceil(hi/c.step-1e-9) * c.step
}

// roundEnds are the ends of the logarithmic axis.
var roundEnds = chart.Series{1, 1.5, 2, 3, 5, 7}

const (
	// margin is how many times what is drawn the logarithmic axis goes beyond, so that a
	// flat line is not an edge. The linear axis is for detail.
	margin = 1.1
	// mostRatio bounds the logarithmic axis; what lies below is an arrow.
	mostRatio = 1e5
	// evenRatio is up to which its numbers have equal steps.
	evenRatio = 5
)

// decades makes the axis logarithmic from lo to hi.
func (c *Chart) decades(lo, hi float64) {
	c.y.Min = roundEnds.At(roundEnds.Below(max(lo/margin, hi/mostRatio)))
	c.y.Max = roundEnds.At(roundEnds.Above(hi * margin))
	if c.y.Log = true; c.y.Max <= c.y.Min*evenRatio*(1+1e-9) {
		c.step = chart.Nice((c.y.Max - c.y.Min) / 4)
	}
}

// values draws the vertical axis with its numbers: the baseline, both ends, and those
// between them. Each has a mark in the row of dots that its value has in the plot.
func (c *Chart) values(p *draw.Canvas, d *Data) {
	x := c.plot.X - 1
	p.Grid.Down(x, c.area.Y, c.plot.Bottom()-c.area.Y, p.Glyphs.AxisV, themes.Axis)
	number := func(v float64, y int, text string, role themes.Role) {
		p.Grid.Right(x-1, c.plot.Y+y, p.Chrome(text), role, AxisWidth-2)
		dot, _ := c.y.Dot(v)
		if p.Glyphs.ASCII {
			p.Grid.Set(x, c.plot.Y+y, p.Glyphs.AxisTick, role)
		} else {
			p.Grid.Set(x-1, c.plot.Y+y, draw.Dot(0, 1, 3-dot%4), role)
		}
	}
	base, off := c.y.Row(d.Baseline)
	known := off == 0 && d.Baseline > 0
	c.y.Numbers(c.step, func(v float64, y int) {
		if !known || y != base {
			number(v, y, p.Keep(appendTick(p.Scratch(), d.Figure, v)), themes.Axis)
		}
	})
	if known {
		text, _, _ := strings.Cut(format.Figure(d.Figure, d.Baseline), " tok/s")
		number(d.Baseline, base, text, themes.Aggregate)
	}
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
	p.Grid.Across(c.plot.X, y, c.plot.W, p.Glyphs.H, themes.Axis)
	c.moments(p, d)
	if i, ok := c.place(d, d.At); ok {
		p.Grid.Set(c.plot.X+i, y, cursor(p.Glyphs), themes.Accent)
	}
}

// moments writes the round moments of the axis of time.
func (c *Chart) moments(p *draw.Canvas, d *Data) {
	span := d.To.Sub(d.From).Seconds()
	if !(span > 0) {
		return
	}
	end := c.area.X - 1
	least := span / float64(c.plot.W) * tickRoom
	if i, _ := slices.BinarySearch(steps, int64(math.Ceil(least))); i < len(steps) {
		step, at := steps[i], d.From.Unix()
		layout := format.Either(step < 60, time.TimeOnly, "15:04")
		for at += ((-at)%step + step) % step; at <= d.To.Unix(); at += step {
			c.moment(p, d, time.Unix(at, 0), format.Either(at%day == 0, "2 Jan", layout), &end)
		}
		return
	}
	i, _ := slices.BinarySearch(months, int(math.Ceil(least/(28*day))))
	year, step := d.From.UTC().Year(), months[min(i, len(months)-1)]
	for m := 1; ; m += step {
		at := time.Date(year, time.Month(m), 1, 0, 0, 0, 0, time.UTC)
		if !at.Before(d.To) {
			return
		}
		c.moment(p, d, at, "Jan 2006", &end)
	}
}

// moment marks a moment on the axis, with its words below, where these do not touch
// those that end at end.
func (c *Chart) moment(p *draw.Canvas, d *Data, at time.Time, layout string, end *int) {
	i, ok := c.place(d, at)
	if !ok {
		return
	}
	x, y := c.plot.X+i, c.plot.Bottom()
	text := p.Keep(at.UTC().AppendFormat(p.Scratch(), layout))
	if from := x - len(text)/2; from > *end && from+len(text) <= c.plot.Right() {
		p.Grid.Set(x, y, p.Glyphs.TeeB, themes.Axis)
		p.Grid.Text(from, y+1, text, themes.Axis, len(text))
		*end = from + len(text)
	}
}
