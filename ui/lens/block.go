package lens

import (
	"strings"

	"tokscope/themes"
	"tokscope/ui/draw"
)

// Tile draws the panel as a box that is higher than wide. Each budget has one
// or two rows; for an agent the duration of its task follows. Nothing outside
// r is touched.
func (p *Panel) Tile(g *draw.Grid, r draw.Rect, gl *themes.Glyphs, border themes.Role) {
	if p.lens == nil || r.Empty() {
		return
	}
	defer g.Clip(r)()
	in := titled(g, r, p.short, p.name, gl, border)
	if n := draw.Width(p.about); n <= in.W && in.H > 2*len(p.rows)+p.cost.rows() {
		g.Text(in.X, in.Y, p.about, themes.Dim, n)
		_, in = in.SplitV(1)
	}
	p.body(g, in, gl)
}

// titled draws a frame with the figures' source at the right, in fewer words
// where room is short. It returns the inside.
func titled(g *draw.Grid, r draw.Rect, title, right string, gl *themes.Glyphs, border themes.Role) draw.Rect {
	g.Box(r, gl, border, title, themes.Title, "")
	if draw.Width(title)+draw.Width(right)+9 > r.W {
		right = strings.TrimSuffix(right, " requests")
	}
	if n := draw.Width(right); n > 0 && draw.Width(title)+n+8 <= r.W {
		x := r.Right() - 4 - n
		g.Set(x-1, r.Y, ' ', border)
		g.Text(x, r.Y, right, themes.Dim, n)
		g.Set(x+n, r.Y, ' ', border)
	}
	return r.Inner()
}

// head writes the use, with its worst verdict and the figure nearest to its
// limit.
func (p *Panel) head(g *draw.Grid, r draw.Rect, chosen bool, gl *themes.Glyphs) {
	g.Set(r.X, r.Y, p.sign, p.role)
	p.mark(g, r.X+1, r.Y, chosen, gl)
	x := r.X + signCol
	x += g.Text(x, r.Y, p.key, pick(chosen), r.Right()-x) + 1
	if p.tightest < 0 || p.rows[p.tightest].used < nearestFrom {
		return
	}
	const is = " is tightest"
	if label := p.rows[p.tightest].label; draw.Width(label)+len(is) < r.Right()-x {
		at := r.Right() - len(is)
		g.Text(at, r.Y, is, themes.Dim, len(is))
		g.Right(at, r.Y, label, themes.Dim, draw.Width(label))
	}
}

// body draws the budgets, and below them the agent's task, in the available
// rows.
func (p *Panel) body(g *draw.Grid, r draw.Rect, gl *themes.Glyphs) {
	defer g.Clip(r)()
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
		g.Set(r.X, y, w.sign, w.role)
		w.figures(g, draw.Rect{X: r.X + signCol, Y: y, W: r.W - signCol, H: 1}, names)
		if each > 1 {
			w.gaugeRow(g, draw.Rect{X: r.X, Y: y + 1, W: r.W, H: 1}, gl)
		}
		y += each
	}
	switch room := r.Bottom() - y; {
	case cost == 0 || room <= 0:
	case room == 1:
		p.cost.briefly(g, draw.Rect{X: r.X, Y: y, W: r.W, H: 1})
	default: // with two rows, the savings are left out
		if room > cost {
			y++
		}
		p.cost.draw(g, draw.Rect{X: r.X, Y: y, W: r.W, H: cost}, gl)
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
func (w *row) gaugeRow(g *draw.Grid, r draw.Rect, gl *themes.Glyphs) {
	r.X, r.W = r.X+signCol, r.W-signCol
	text, room := w.short, shortCol-1
	if n := r.W - room - 1; n < gaugeLeast {
		text, room = w.share, draw.Width(">999 %")
	}
	n := min(r.W-room-1, gaugeMost)
	if !w.known && w.instead != "" {
		if k := draw.Width(w.instead); k+2 <= r.W {
			g.Text(r.X, r.Y, w.instead, themes.Dim, k)
			g.Set(r.X+k+1, r.Y, w.pastSign, w.pastRole)
			return
		}
	}
	if !w.gauge || n < gaugeLeast/2 {
		g.Cut(r.X, r.Y, w.short, gl, themes.Dim, r.W)
		return
	}
	w.track(g, r.X, r.Y, n, gl)
	g.Cut(r.X+n+1, r.Y, text, gl, themes.Text, r.W-n-1)
}
