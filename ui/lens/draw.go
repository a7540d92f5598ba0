package lens

import (
	"tokscope/metrics/slo"
	"tokscope/themes"
	"tokscope/ui/draw"
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
func (p *Panel) Draw(g *draw.Grid, r draw.Rect, gl *themes.Glyphs) {
	if p.lens == nil || r.Empty() {
		return
	}
	defer g.Clip(r)()
	g.Box(r, gl, themes.Border, p.title, themes.Title, "")
	in := r.Inner()
	c := p.columns(in.W)
	p.caption(g, r, c)
	if n := draw.Width(p.voice); n > 0 && n+9 <= r.W {
		onBorder(g, r, r.Bottom()-1, p.voice)
	}
	left := in
	if c.cost > 0 {
		var right draw.Rect
		left, right = in.SplitH(in.W - c.cost)
		for y := range in.H {
			g.Set(right.X, in.Y+y, gl.V, themes.Border)
		}
		p.cost.draw(g, draw.Rect{X: right.X + 2, Y: right.Y, W: right.W - 2, H: right.H}, gl)
	}
	for i := range p.rows {
		if i < in.H {
			p.rows[i].draw(g, draw.Rect{X: left.X, Y: left.Y + i, W: left.W, H: 1}, c, gl)
		}
	}
}

// caption writes the panel's title into the upper line, as much as fits.
func (p *Panel) caption(g *draw.Grid, r draw.Rect, c columns) {
	for _, s := range [...]struct {
		ok   bool
		text string
	}{{p.cost.on && c.cost == 0, p.cost.line}, {c.past > 0, p.pastNote}, {true, p.about}} {
		n := draw.Width(s.text)
		if !s.ok || n == 0 || draw.Width(p.title)+n+9 > r.W {
			continue
		}
		onBorder(g, r, r.Y, s.text)
		return
	}
}

// onBorder writes a text that fits onto row y of the border of r, at the right.
func onBorder(g *draw.Grid, r draw.Rect, y int, text string) {
	n := draw.Width(text)
	x := r.Right() - 4 - n
	g.Set(x-1, y, ' ', themes.Border)
	g.Text(x, y, text, themes.Dim, n)
	g.Set(x+n, y, ' ', themes.Border)
}

func (w *row) draw(g *draw.Grid, r draw.Rect, c columns, gl *themes.Glyphs) {
	x, y := r.X, r.Y
	g.Set(x, y, w.sign, w.role)
	x += signCol
	g.Text(x, y, w.label, themes.Dim, metricCol-1)
	x += metricCol + measuredCol
	role := themes.Strong
	if !w.known {
		role = themes.Dim
	}
	g.Right(x, y, w.measured, role, measuredCol)
	g.Text(x+2, y, w.limit, themes.Dim, limitCol-2)
	x += limitCol
	if n := c.gauge - 1; n > 0 {
		if w.gauge {
			w.track(g, x, y, n, gl)
		}
		x += c.gauge
	}
	room := shortCol - 1
	if c.why == 0 && c.past == 0 && c.cost == 0 {
		room = r.Right() - x
	}
	st := themes.Text
	if w.sign == gl.Unknown {
		st = themes.Dim
	}
	g.Cut(x, y, w.short, gl, st, room)
	x += shortCol
	if c.why > 0 {
		n := max(g.Cut(x, y, w.why, gl, themes.Dim, c.why-1), whyCol-1) // the sources are aligned
		if room := c.why - 3 - n; room > whyCol {
			g.Cut(x+n+2, y, w.source, gl, themes.Dim, room)
		}
	}
	if c.past > 0 && w.pastSign != 0 {
		end := r.Right()
		if c.cost > 0 {
			end--
		}
		g.Right(end-2, y, w.past, themes.Dim, pastCol-3)
		g.Set(end-1, y, w.pastSign, w.pastRole)
	}
}

// track draws the used share of the budget. An exceeded budget is full and
// ends in an arrow.
func (w *row) track(g *draw.Grid, x, y, n int, gl *themes.Glyphs) {
	full := min(max(int(w.used*float64(n)+0.5), 0), n)
	if w.used > 1e-3 {
		full = max(full, 1)
	}
	for i := range n {
		if i < full {
			g.Set(x+i, y, gl.Heavy, w.role)
		} else {
			g.Set(x+i, y, gl.LineDash, themes.Faint)
		}
	}
	if w.used > 1 {
		g.Set(x+n-1, y, gl.Ghost, w.role)
	}
}

// Line draws the panel in one row, with the verdicts in fixed columns. It
// shows the figures with their limits, or for an agent with its task.
func (p *Panel) Line(g *draw.Grid, r draw.Rect, gl *themes.Glyphs) {
	if p.lens == nil || r.Empty() {
		return
	}
	defer g.Clip(r)()
	x := r.X + 1
	x += g.Text(x, r.Y, p.lens.Key, themes.Accent, r.Right()-x) + 1
	end, spare := r.Right(), r.Right()-x
	for i := range p.rows {
		spare -= lineCol(p.rows[i].metric)
	}
	spare = max(spare/max(len(p.rows), 1), 0)
	for i := range p.rows {
		w := &p.rows[i]
		from, each := x, lineCol(w.metric)+spare
		if p.cost.on {
			each = 14 // the task needs the columns of the limits
		}
		g.Set(x, r.Y, w.sign, w.role)
		x += 2
		stop := min(from+each-1, end)
		write := func(s string, st themes.Role) {
			if n := draw.Width(s); n > 0 && x+n <= stop {
				x += g.Text(x, r.Y, s, st, n) + 1
			}
		}
		write(w.metric, themes.Dim)
		number := w.measured
		if p.cost.on || w.bare != "" {
			number = bareSpeed(number)
		}
		write(number, themes.Strong)
		if !p.cost.on {
			write(w.bare, themes.Dim)
		}
		x = from + each
	}
	if c := &p.cost; c.on && c.known {
		whole := func(s string, st themes.Role) {
			if n := draw.Width(s); x+n <= end {
				x += g.Text(x, r.Y, s, st, n)
			}
		}
		whole(c.brief+" ", themes.Dim)
		whole(c.time, themes.Strong)
		whole(c.most, themes.Dim)
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
func bareSpeed(s string) string {
	const unit = " tok/s"
	if n := len(s) - len(unit); n > 0 && s[n:] == unit {
		return s[:n]
	}
	return s
}
