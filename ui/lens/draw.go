package lens

import (
	"tokscope/themes"
	"tokscope/ui/cell"
)

// Rows is the height of the box, and MinWidth the narrowest in which it says
// all that must be said; a Line does with LineWidth.
const (
	Rows      = 5
	MinWidth  = 78
	LineWidth = 60
)

// Columns of a row, with the blanks behind them.
const (
	signCol     = 2
	metricCol   = 11 // "throughput"
	measuredCol = 11 // "4114 tok/s", right-aligned
	limitCol    = 14 // "  ≥ 5.3 tok/s"
	shortCol    = 25 // "one in twenty has 900 ms"
	fixed       = signCol + metricCol + measuredCol + limitCol
	whyCol      = 32
	pastCol     = 14 // sign and median
	costCol     = 44 // the narrowest calculator
	gaugeLeast  = 8
	gaugeMost   = 32
)

// columns say what a row has room for.
type columns struct {
	gauge, why, past, cost int
}

func (p *Panel) columns(w int) columns {
	c := columns{gauge: gaugeLeast + 1}
	rest := w - fixed - shortCol - c.gauge
	take := func(n int, want bool) int {
		if !want || rest < n {
			return 0
		}
		rest -= n
		return n
	}
	c.cost = take(costCol, p.cost.on)
	c.past = take(pastCol, true)
	c.why = take(whyCol, true)
	if c.why == 0 && rest >= whyCol-10 && c.cost == 0 { // cut, but better than a hole
		c.why, rest = rest, 0
	}
	more := min(rest, gaugeMost-gaugeLeast)
	c.gauge += more
	if c.cost > 0 {
		c.cost += rest - more
	}
	return c
}

// Draw draws the panel as a box into r, which is Rows high. Nothing outside r
// is touched.
func (p *Panel) Draw(g *cell.Grid, r cell.Rect, gl *themes.Glyphs) {
	if p.lens == nil || r.Empty() {
		return
	}
	defer g.Clip(r)()
	g.Box(r, gl, themes.Border, p.title, themes.Title, "")
	if n := cell.Width(p.about); cell.Width(p.title)+n+9 <= r.W {
		x := r.Right() - 4 - n
		g.Set(x-1, r.Y, ' ', themes.Border)
		g.Text(x, r.Y, p.about, themes.Dim, n)
		g.Set(x+n, r.Y, ' ', themes.Border)
	}
	in := r.Inner()
	c := p.columns(in.W)
	left := in
	if c.cost > 0 {
		var right cell.Rect
		left, right = in.SplitH(in.W - c.cost)
		for y := range in.H {
			g.Set(right.X, in.Y+y, gl.V, themes.Border)
		}
		p.cost.draw(g, cell.Rect{X: right.X + 2, Y: right.Y, W: right.W - 2, H: right.H}, gl)
	}
	for i := range p.rows {
		if i < in.H {
			p.rows[i].draw(g, cell.Rect{X: left.X, Y: left.Y + i, W: left.W, H: 1}, c, gl)
		}
	}
}

func (w *row) draw(g *cell.Grid, r cell.Rect, c columns, gl *themes.Glyphs) {
	x, y := r.X, r.Y
	g.Set(x, y, w.sign, w.role)
	x += signCol
	g.Text(x, y, w.metric, themes.Dim, metricCol-1)
	x += metricCol + measuredCol
	role := themes.Strong
	if w.measured == string(gl.Unknown) {
		role = themes.Dim
	}
	g.Right(x, y, w.measured, role, measuredCol)
	g.Text(x+2, y, w.limit, themes.Dim, limitCol-2)
	x += limitCol
	if n := c.gauge - 1; n > 0 {
		if w.gauge {
			g.Gauge(x, y, n, min(w.used, 1), gl, w.role, themes.Faint)
		}
		x += c.gauge
	}
	room := shortCol - 1
	if c.why == 0 && c.past == 0 && c.cost == 0 {
		room = r.Right() - x
	}
	st := themes.Ink
	if w.sign == gl.Unknown {
		st = themes.Dim
	}
	g.Cut(x, y, w.short, gl, st, room)
	x += shortCol
	if c.why > 0 {
		g.Cut(x, y, w.why, gl, themes.Dim, c.why-1)
	}
	if c.past > 0 && w.pastSign != 0 {
		end := r.Right()
		if c.cost > 0 {
			end--
		}
		g.Right(end, y, w.past, themes.Dim, pastCol-3)
		g.Set(end-pastCol+1, y, w.pastSign, w.pastRole)
	}
}

// Line draws the panel in one row, the verdicts in columns that do not move:
// the figures with their limits, or for an agent with its task.
func (p *Panel) Line(g *cell.Grid, r cell.Rect, gl *themes.Glyphs) {
	if p.lens == nil || r.Empty() {
		return
	}
	defer g.Clip(r)()
	x := r.X + 1
	x += g.Text(x, r.Y, p.lens.Key, themes.Accent, r.Right()-x) + 1
	end, each := r.Right(), 0
	if p.cost.on {
		each = 14
	} else {
		each = (end - x) / max(len(p.rows), 1)
	}
	for i := range p.rows {
		w := &p.rows[i]
		from := x
		g.Set(x, r.Y, w.sign, w.role)
		x += 2
		stop := min(from+each-1, end)
		put := func(s string, st themes.Role) {
			if n := cell.Width(s); n > 0 && x+n <= stop {
				x += g.Text(x, r.Y, s, st, n) + 1
			}
		}
		put(w.metric, themes.Dim)
		number := w.measured
		if p.cost.on || w.bare != "" {
			number = bareSpeed(number)
		}
		put(number, themes.Strong)
		if !p.cost.on {
			put(w.bare, themes.Dim)
		}
		x = from + each
	}
	if c := &p.cost; c.on && c.known {
		whole := func(s string, st themes.Role) {
			if n := cell.Width(s); x+n <= end {
				x += g.Text(x, r.Y, s, st, n)
			}
		}
		whole(c.brief+" ", themes.Dim)
		whole(c.time, themes.Strong)
		if c.best >= 0 {
			h := &c.halves[c.best]
			whole(", half "+h.name+" saves "+h.saves, themes.Dim)
		}
	}
}

// bareSpeed leaves out the unit of a speed, which the limit behind it has.
func bareSpeed(s string) string {
	const unit = " tok/s"
	if n := len(s) - len(unit); n > 0 && s[n:] == unit {
		return s[:n]
	}
	return s
}
