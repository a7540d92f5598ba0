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
	"tokscope/ui/say"
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

// Legend explains the signs that Draw has drawn of d, for the title of the chart's box.
func (c *Chart) Legend(p *draw.Canvas, d *Data) string {
	b := p.Scratch()
	add := func(drawn bool, word string, sign ...rune) {
		if drawn {
			b = append(append(append(b, format.If(len(b) > 0, "  ")...), word...), ' ')
			b = append(b, string(sign)...)
		}
	}
	add(c.shown[median], format.Either(c.most > 1, "median", "request"), median.sign(p.Glyphs))
	add(c.shown[half], "middle 50 %", half.sign(p.Glyphs))
	add(c.shown[whole], "all", whole.sign(p.Glyphs))
	add(slices.ContainsFunc(c.cols, func(x column) bool { return x.failed > 0 }), "failed", p.Glyphs.Fail)
	line := dash(p.Glyphs, 1)
	add(d.Baseline > 0, "baseline", line, line, line)
	_, at := c.place(d, d.At)
	add(at, "selected", cursor(p.Glyphs))
	return p.Keep(b)
}

// dash is the sign of the baseline in a row of dots, fewer than a measured line has. In
// ASCII the dots are those of a band.
func dash(gl *themes.Glyphs, row int) rune {
	return format.Either(gl.ASCII, gl.H, draw.Dot(0, 0, 3-row%4))
}

// cursor is the sign of the chosen moment. In ASCII that of a stall is an exclamation mark.
func cursor(gl *themes.Glyphs) rune { return format.Either(gl.ASCII, gl.Up, gl.Stall) }

// guides draws the baseline and the lines of changes into free cells.
func (c *Chart) guides(p *draw.Canvas, d *Data) {
	post := p.Glyphs.Burst
	if p.Glyphs.ASCII { // its colon is that of a band
		post = p.Glyphs.V
	}
	for i := range d.Changes {
		x, ok := c.place(d, d.Changes[i].At)
		if !ok {
			continue
		}
		for y := range c.plot.H {
			if c.blank(x, y) {
				p.Grid.Set(c.plot.X+x, c.plot.Y+y, post, themes.Faint)
			}
		}
	}
	dot, off := c.y.Dot(d.Baseline)
	if off != 0 || d.Baseline == 0 {
		return
	}
	y := c.plot.H - 1 - dot/4
	for x := range c.plot.W {
		if c.blank(x, y) {
			p.Grid.Set(c.plot.X+x, c.plot.Y+y, dash(p.Glyphs, dot), themes.Aggregate)
		}
	}
}

func (c *Chart) marks(p *draw.Canvas, d *Data) {
	failures, changes := c.plot.Y-1, c.plot.Y-2
	if failures < c.area.Y {
		return
	}
	for x := range c.cols {
		if c.cols[x].failed > 0 {
			p.Grid.Set(c.plot.X+x/2, failures, p.Glyphs.Fail, themes.Bad)
		}
	}
	if changes < c.area.Y {
		return
	}
	for i := range d.Changes {
		if x, ok := c.signed(d, &d.Changes[i]); ok {
			p.Grid.Set(c.plot.X+x, changes, p.Glyphs.Change, changeRole(&d.Changes[i]))
		}
	}
	blank := func(from, to int) bool { // reports whether the row is so
		for x := from; x < to; x++ {
			if text, _ := p.Grid.At(c.plot.X+x, changes); text != " " {
				return false
			}
		}
		return true
	}
	for i := len(d.Changes) - 1; i >= 0; i-- { // the newest has the first claim to words
		g := &d.Changes[i]
		x, ok := c.signed(d, g)
		moment := say.HistoryMoment(g.At, d.To)
		other := format.If(g.Figure != d.Figure, g.Figure.Label()+" ")
		for _, text := range [...]string{p.Join(moment, ", ", other, format.TimesRange(g.Ratio, g.Low, g.High)), moment} {
			text = p.Chrome(text)
			n := draw.Width(text)
			for _, from := range [...]int{x + 2, x - 1 - n} {
				if ok && from >= 0 && from+n <= c.plot.W && blank(max(from-1, 0), min(from+n+1, c.plot.W)) {
					p.Grid.Text(c.plot.X+from, changes, text, changeRole(g), n)
					ok = false
				}
			}
		}
	}
}

// changeRole is the color of a change for the worse, or the better.
func changeRole(g *history.Change) themes.Role {
	return format.Either((g.Ratio > 1) == g.Figure.Timed(), themes.Warn, themes.Good)
}
