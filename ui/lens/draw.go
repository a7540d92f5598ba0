package lens

import (
	"cmp"
	"strings"

	"tokscope/metrics/slo"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// Rows is the height of the box. From 78 columns on it shows everything
// necessary; a Line needs 60.
const Rows = 5

// Columns of a row, with the blanks behind them.
const (
	signCol     = 2
	metricCol   = 12 // "longest gap"
	measuredCol = 11 // "4114 tok/s", right-aligned
	limitCol    = 14 // "  ≥ 5.3 tok/s"
	shortCol    = 24 // "one in twenty: 900 ms"
	fixed       = signCol + metricCol + measuredCol + limitCol
	whyCol      = 29
	pastCol     = 14 // median and sign
	costCol     = 43 // the narrowest calculator
	gaugeLeast  = 8
	gaugeMost   = 32
)

// columns are the widths of a row's parts.
type columns struct {
	gauge, why, past, cost int
}

func (p *Panel) columns(w int) columns {
	c := columns{gauge: gaugeLeast + 1}
	rest := w - fixed - shortCol - c.gauge
	reserve := func(n int, want bool) int {
		if !want || rest < n {
			return 0
		}
		rest -= n
		return n
	}
	c.cost = reserve(costCol, p.cost.on)
	c.past = reserve(pastCol, true)
	c.why = reserve(whyCol, true)
	if c.why == 0 && rest >= whyCol-10 && c.cost == 0 { // cut, but better than a hole
		c.why, rest = rest, 0
	}
	more := min(rest, gaugeMost-gaugeLeast)
	c.gauge += more
	switch rest -= more; {
	case c.cost > 0:
		c.cost += rest
	case c.why > 0:
		c.why += rest
	}
	return c
}

// Draw draws the panel as a box into r, which has Rows rows. Nothing outside
// r is touched.
func (p *Panel) Draw(c *draw.Canvas, r draw.Rect) {
	if p.lens == nil || r.Empty() {
		return
	}
	defer c.Grid.Clip(r)()
	title := c.Join("lens ─ ", p.lens.Key, format.If(p.name != "", " ─ "), p.name)
	in := c.Box(r, themes.Border, title, "")
	cols := p.columns(in.W)
	about, before := say.LensAbout(p.lens.Key), p.before(c)
	fit := func(shown bool, text string) string {
		return format.If(shown && draw.Width(title)+draw.Width(text)+9 <= r.W, text)
	}
	c.Caption(r, themes.Border, draw.Width(title), cmp.Or(fit(p.cost.on && cols.cost == 0, p.cost.line(c)),
		fit(cols.past > 0 && before != "", c.Join(about, " ─ right: ", before)), fit(true, about)))
	if r.H > 1 {
		c.Caption(draw.Rect{X: r.X, Y: r.Bottom() - 1, W: r.W, H: r.H}, themes.Border, 0, p.voice)
	}
	left := in
	if cols.cost > 0 {
		var right draw.Rect
		left, right = in.SplitH(in.W - cols.cost)
		c.Grid.Down(right.X, in.Y, in.H, c.Glyphs.V, themes.Border)
		p.cost.draw(c, draw.Rect{X: right.X + 2, Y: right.Y, W: right.W - 2, H: right.H})
	}
	for i := range p.rows {
		if i < in.H {
			p.rows[i].draw(c, draw.Rect{X: left.X, Y: left.Y + i, W: left.W, H: 1}, cols)
		}
	}
}

func (w *row) draw(p *draw.Canvas, r draw.Rect, c columns) {
	g, gl, x, y := p.Grid, p.Glyphs, r.X+fixed, r.Y
	g.Set(r.X, y, w.sign, w.role)
	w.figures(p, draw.Rect{X: r.X + signCol, Y: y, W: fixed, H: 1}, 0)
	if n := c.gauge - 1; n > 0 {
		if w.gauge() {
			w.track(p, x, y, n)
		}
		x += c.gauge
	}
	room := format.Either(c.why == 0 && c.past == 0 && c.cost == 0, r.Right()-x, shortCol-1)
	g.Cut(x, y, p.Chrome(w.short), gl, format.Either(w.sign == gl.Unknown, themes.Dim, themes.Text), room)
	x += shortCol
	if c.why > 0 {
		n := max(g.Cut(x, y, p.Chrome(w.why), gl, themes.Dim, c.why-1), whyCol-1) // the sources are aligned
		if room := c.why - 3 - n; room > whyCol {
			g.Cut(x+n+2, y, p.Chrome(w.source), gl, themes.Dim, room)
		}
	}
	if c.past > 0 && w.pastSign != 0 {
		end := r.Right()
		if c.cost > 0 {
			end--
		}
		g.Right(end-2, y, p.Chrome(w.past), themes.Dim, pastCol-3)
		g.Set(end-1, y, w.pastSign, w.pastRole)
	}
}

// track draws the used share of the budget. An exceeded budget is full and
// ends in an arrow.
func (w *row) track(c *draw.Canvas, x, y, n int) {
	g, gl := c.Grid, c.Glyphs
	full := min(max(int(w.v.Used.V*float64(n)+0.5), 0), n)
	if w.v.Used.V > 1e-3 {
		full = max(full, 1)
	}
	g.Across(x, y, n, gl.LineDash, themes.Faint)
	g.Across(x, y, full, gl.Heavy, w.role)
	if w.v.Used.V > 1 {
		g.Set(x+n-1, y, gl.Ghost, w.role)
	}
}

// Line draws the panel in one row, with the verdicts in fixed columns. It
// shows the figures with their limits, or for an agent with its task.
func (p *Panel) Line(c *draw.Canvas, r draw.Rect) {
	if p.lens == nil || r.Empty() {
		return
	}
	defer c.Grid.Clip(r)()
	l := c.Row(r, 0)
	l.Skip(1)
	l.Write(themes.Accent, p.lens.Key)
	l.Skip(1)
	spare := l.Left()
	for i := range p.rows {
		spare -= lineCol(p.rows[i].v.Metric)
	}
	spare = max(spare/max(len(p.rows), 1), 0)
	for i := range p.rows {
		w := &p.rows[i]
		each, number, limit := lineCol(w.v.Metric)+spare, w.measured, format.If(w.v.Budget.Limit > 0, w.limit)
		if p.cost.on {
			each, limit = 14, "" // the task needs the columns of the limits
		}
		if p.cost.on || limit != "" {
			number = bareSpeed(number)
		}
		cell := c.Line(l.X, l.Y, min(each-1, l.Left()))
		cell.Set(w.role, w.sign)
		cell.Skip(1)
		for i, text := range [...]string{w.v.Metric, number, limit} {
			if text != "" && cell.Whole(format.Either(i == 1, themes.Strong, themes.Dim), text) {
				cell.Skip(1)
			}
		}
		l.Skip(each)
	}
	if a := &p.cost; a.known() {
		l.Whole(themes.Dim, a.brief)
		l.Skip(1)
		l.Whole(themes.Strong, a.time)
		l.Whole(themes.Dim, a.most(c))
	}
}

// lineCol is the width of a verdict in a line, with a blank behind it.
func lineCol(metric string) int {
	switch metric {
	case slo.LensSpeed, slo.LensThroughput: // "✓ speed ~190 ≥ 5.3 tok/s"
		return 25
	case slo.LensGap: // "✓ gap 950 ms of 1 s"
		return 20
	}
	return 24 // "✓ TTFT 1.24 s of 450 ms"
}

// bareSpeed removes the unit of a speed, which the limit behind it has.
func bareSpeed(s string) string { return strings.TrimSuffix(s, " tok/s") }
