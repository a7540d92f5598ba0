package lens

import (
	"strings"

	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// Tile draws the panel as a box that is higher than wide. Each budget has one
// or two rows; for an agent the duration of its task follows. Nothing outside
// r is touched.
func (p *Panel) Tile(c *draw.Canvas, r draw.Rect, border themes.Role) {
	if p.lens == nil || r.Empty() {
		return
	}
	defer c.Grid.Clip(r)()
	in := titled(c, r, p.short, p.name, border)
	if n := draw.Width(p.about); n <= in.W && in.H > 2*len(p.rows)+p.cost.rows() {
		c.Grid.Text(in.X, in.Y, p.about, themes.Dim, n)
		_, in = in.SplitV(1)
	}
	p.body(c, in)
}

// titled draws a frame with the figures' source at the right, in fewer words
// where room is short. It returns the inside.
func titled(c *draw.Canvas, r draw.Rect, title, right string, border themes.Role) draw.Rect {
	if draw.Width(title)+draw.Width(right)+9 > r.W {
		right = strings.TrimSuffix(right, " requests")
	}
	in := c.Box(r, border, title, "")
	c.Caption(r, border, draw.Width(title)-1, right) // a blank before it is enough
	return in
}

// signed writes the worst verdict, a mark where the use is chosen, and its name in
// at least w columns.
func (p *Panel) signed(l *draw.Line, c *draw.Canvas, chosen bool, w int) {
	c.Grid.Set(l.X, l.Y, p.sign, p.role)
	if chosen {
		c.Grid.Set(l.X+1, l.Y, c.Glyphs.Ghost, themes.Accent)
	}
	l.Skip(signCol)
	l.Slot(format.Either(chosen, themes.Accent, themes.Strong), p.key, w)
}

// head writes the use, with its worst verdict and the figure nearest to its
// limit.
func (p *Panel) head(c *draw.Canvas, r draw.Rect, chosen bool) {
	l := c.Row(r, 0)
	p.signed(&l, c, chosen, 0)
	l.Skip(1)
	if p.tightest < 0 || p.rows[p.tightest].used < nearestFrom {
		return
	}
	const is = " is tightest"
	if n := draw.Width(p.rows[p.tightest].label) + len(is); n < l.Left() {
		l.To(l.End - n)
		l.Write(themes.Dim, p.rows[p.tightest].label)
		l.Write(themes.Dim, is)
	}
}

// body draws the budgets, and below them the agent's task, in the available
// rows.
func (p *Panel) body(c *draw.Canvas, r draw.Rect) {
	defer c.Grid.Clip(r)()
	cost, each := p.cost.rows(), 1
	if r.H >= 2*len(p.rows)+min(cost, 1) {
		each = 2
	}
	names := 0
	for i := range p.rows {
		names = max(names, draw.Width(p.rows[i].metric)+1)
	}
	y := r.Y
	for i := range p.rows {
		w := &p.rows[i]
		c.Grid.Set(r.X, y, w.sign, w.role)
		w.figures(c.Grid, draw.Rect{X: r.X + signCol, Y: y, W: r.W - signCol, H: 1}, names)
		if each > 1 {
			w.gaugeRow(c, draw.Rect{X: r.X, Y: y + 1, W: r.W, H: 1})
		}
		y += each
	}
	switch room := r.Bottom() - y; {
	case cost == 0 || room <= 0:
	case room == 1:
		p.cost.briefly(c, draw.Rect{X: r.X, Y: y, W: r.W, H: 1})
	default: // with two rows, the savings are left out
		if room > cost {
			y++
		}
		p.cost.draw(c, draw.Rect{X: r.X, Y: y, W: r.W, H: cost})
	}
}

// figures writes a metric, its measured value and its limit. names is the
// width of a short name.
func (w *row) figures(g *draw.Grid, r draw.Rect, names int) {
	const wide = metricCol + measuredCol + limitCol - 1
	name, number, room, apart := w.metric, w.measured, 9, 1
	if r.W >= wide {
		name, names, room, apart = w.label, metricCol, measuredCol, 2
	} else if w.bare != "" && names+room+apart+draw.Width(w.limit) <= r.W {
		number = bareSpeed(number) // the unit follows the limit
	}
	x := r.X
	g.Text(x, r.Y, name, themes.Dim, names)
	x += names + max(room, draw.Width(number))
	role := themes.Strong
	if !w.known {
		role = themes.Dim
	}
	g.Right(x, r.Y, number, role, room+names)
	if x += apart; x+draw.Width(w.limit) <= r.Right() {
		g.Text(x, r.Y, w.limit, themes.Dim, r.Right()-x)
	}
}

// gaugeRow draws the used share of the budget, and what is left.
func (w *row) gaugeRow(c *draw.Canvas, r draw.Rect) {
	r.X, r.W = r.X+signCol, r.W-signCol
	text, room := w.short, shortCol-1
	if n := r.W - room - 1; n < gaugeLeast {
		text, room = w.share, draw.Width(">999 %")
	}
	n := min(r.W-room-1, gaugeMost)
	if !w.known && w.instead != "" {
		if k := draw.Width(w.instead); k+2 <= r.W {
			c.Grid.Text(r.X, r.Y, w.instead, themes.Dim, k)
			c.Grid.Set(r.X+k+1, r.Y, w.pastSign, w.pastRole)
			return
		}
	}
	if !w.gauge || n < gaugeLeast/2 {
		c.Grid.Cut(r.X, r.Y, w.short, c.Glyphs, themes.Dim, r.W)
		return
	}
	w.track(c, r.X, r.Y, n)
	c.Grid.Cut(r.X+n+1, r.Y, text, c.Glyphs, themes.Text, r.W-n-1)
}
