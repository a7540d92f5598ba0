package lens

import (
	"strings"

	"tokscope/metrics/slo"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// Tile draws the panel as a box that is higher than wide. Each budget has one
// or two rows; for an agent the duration of its task follows. Nothing outside
// r is touched.
func (p *Panel) Tile(c *draw.Canvas, r draw.Rect, border themes.Role) {
	if p.lens == nil || r.Empty() {
		return
	}
	defer c.Grid.Clip(r)()
	in := titled(c, r, c.Join("lens ─ ", p.lens.Key), p.name, border)
	l := c.Row(in, 0)
	if in.H > 2*len(p.rows)+p.cost.rows() && l.Whole(themes.Dim, say.LensAbout(p.lens.Key)) {
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
	l.Slot(format.Either(chosen, themes.Accent, themes.Strong), p.lens.Key, w)
}

// head writes the use, with its worst verdict and the figure nearest to its
// limit.
func (p *Panel) head(c *draw.Canvas, r draw.Rect, chosen bool) {
	l := c.Row(r, 0)
	p.signed(&l, c, chosen, 0)
	l.Skip(1)
	if p.tightest < 0 || p.rows[p.tightest].v.Used.V < nearestFrom {
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
	cost := p.cost.rows()
	each := format.Either(r.H >= 2*len(p.rows)+min(cost, 1), 2, 1)
	names := 0
	for i := range p.rows {
		names = max(names, draw.Width(p.rows[i].v.Metric)+1)
	}
	y := r.Y
	for i := range p.rows {
		w := &p.rows[i]
		c.Grid.Set(r.X, y, w.sign, w.role)
		w.figures(c, draw.Rect{X: r.X + signCol, Y: y, W: r.W - signCol, H: 1}, names)
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
func (w *row) figures(c *draw.Canvas, r draw.Rect, names int) {
	const wide = metricCol + measuredCol + limitCol - 1
	name, number, limit, room, apart := w.v.Metric, w.measured, c.Chrome(w.limit), 9, 1
	if r.W >= wide {
		name, names, room, apart = w.label, metricCol, measuredCol, 2
	} else if w.v.Budget.Limit > 0 && names+room+apart+draw.Width(limit) <= r.W {
		number = bareSpeed(number) // the unit follows the limit
	}
	number = c.Chrome(number)
	x := r.X
	c.Grid.Text(x, r.Y, name, themes.Dim, names)
	x += names + max(room, draw.Width(number))
	c.Grid.Right(x, r.Y, number, format.Either(w.known(), themes.Strong, themes.Dim), room+names)
	if x += apart; x+draw.Width(limit) <= r.Right() {
		c.Grid.Text(x, r.Y, limit, themes.Dim, r.Right()-x)
	}
}

// gaugeRow draws the used share of the budget, and what is left.
func (w *row) gaugeRow(c *draw.Canvas, r draw.Rect) {
	r.X, r.W = r.X+signCol, r.W-signCol
	text, room := w.short, shortCol-1
	if n := r.W - room - 1; n < gaugeLeast {
		text, room = format.If(w.gauge(), c.Percent(w.v.Used.V)), draw.Width(">999 %")
	}
	n, l := min(r.W-room-1, gaugeMost), c.Row(r, 0)
	if !w.known() && w.instead != "" && draw.Width(w.instead)+2 <= r.W {
		l.Write(themes.Dim, w.instead)
		c.Grid.Set(l.X+1, l.Y, w.pastSign, w.pastRole)
		return
	}
	if !w.gauge() || n < gaugeLeast/2 {
		l.Cut(themes.Dim, w.short)
		return
	}
	w.track(c, r.X, r.Y, n)
	l.Skip(n + 1)
	l.Cut(themes.Text, text)
}

// Board draws the verdicts of all lenses on the same figures, side by side:
// the number that matters depends on the use. The zero value shows nothing.
// It belongs to one goroutine.
type Board struct {
	panels []Panel
}

// Update recomputes the board, as Panel.Update does.
func (b *Board) Update(task slo.AgentTask, now, past slo.LensFigures, gl *themes.Glyphs) {
	all := slo.Lenses()
	if len(b.panels) != len(all) {
		b.panels = make([]Panel, len(all))
	}
	for i := range all {
		b.panels[i].Update(all[i].Key, task, now, past, gl)
	}
}

// Sizes of a board: the least width of a block, the blank columns between
// two, and the rows of one with all its budgets.
const (
	blockW     = 30
	blockGap   = 2
	blockRows  = 1 + 3
	blockAgent = blockRows + 1 // with the time of the agent's task
)

// BoardRows is the height of a board that shows everything: a box of two rows
// of uses, or of one row with gauges.
const BoardRows = 2 + 2*blockRows + 3

// nearestFrom is the used share of a budget from which it is named as the
// most used one.
const nearestFrom = 0.01

// Draw draws the board as a box into r. It shows all budgets of every use
// where they fit, else the most used one of each. chosen is marked. Nothing
// outside r is touched.
func (b *Board) Draw(c *draw.Canvas, r draw.Rect, chosen string, border themes.Role) {
	if len(b.panels) == 0 || r.Empty() {
		return
	}
	defer c.Grid.Clip(r)()
	in := titled(c, r, "lens", b.panels[0].name, border)
	n := len(b.panels)
	cols := min(max((in.W+blockGap)/(blockW+blockGap), 1), n)
	if cols == 3 { // two rows of two read better than three and one
		cols = 2
	}
	rows := (n + cols - 1) / cols
	if in.H < rows*blockRows+1 {
		b.list(c, in, chosen)
		return
	}
	for i := range b.panels {
		col, row := i%cols, i/cols
		left, right := in.W*col/cols, in.W*(col+1)/cols
		if col < cols-1 {
			right -= blockGap
		}
		at := draw.Rect{X: in.X + left, Y: in.Y + in.H*row/rows, W: right - left, H: in.H*(row+1)/rows - in.H*row/rows}
		if row < rows-1 && at.H > blockAgent {
			at.H-- // a blank row between them
		}
		p := &b.panels[i]
		p.head(c, at, p.lens.Key == chosen)
		p.body(c, draw.Rect{X: at.X, Y: at.Y + 1, W: at.W, H: at.H - 1})
	}
}

// list draws one or two rows for each use: its most used budget.
func (b *Board) list(c *draw.Canvas, in draw.Rect, chosen string) {
	const useCol = 6
	each := format.Either(in.H >= 2*len(b.panels), 2, 1)
	for i := range b.panels {
		p, y := &b.panels[i], in.Y+i*each
		if y >= in.Bottom() {
			return
		}
		w := &p.rows[max(p.tightest, 0)]
		l := c.Line(in.X, y, in.W)
		p.signed(&l, c, p.lens.Key == chosen, useCol)
		w.figures(c, draw.Rect{X: in.X + signCol + useCol, Y: y, W: in.W - signCol - useCol, H: 1}, 6)
		if each > 1 {
			w.gaugeRow(c, draw.Rect{X: in.X, Y: y + 1, W: in.W, H: 1})
		}
		if y := in.Y + each*len(b.panels) + 1; p.cost.known() && y < in.Bottom() {
			c.Grid.Text(in.X+signCol, y, p.lens.Key, themes.Dim, useCol)
			p.cost.briefly(c, draw.Rect{X: in.X + useCol, Y: y, W: in.W - useCol, H: 1})
		}
	}
}
