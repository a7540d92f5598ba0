package lens

import (
	"tokscope/metrics/slo"
	"tokscope/themes"
	"tokscope/ui/draw"
)

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
	each := 1
	if in.H >= 2*len(b.panels) {
		each = 2
	}
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
