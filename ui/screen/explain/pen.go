package explain

import (
	cell "tokscope/ui/draw"
	ink "tokscope/ui/draw"
)

// pen is what the panels draw with, and the view they draw.
type pen struct {
	ink.Canvas
	v *View
}

// begin points the pen at a new frame.
func (p *pen) begin(g *cell.Grid, v *View) {
	p.Begin(g, v.Glyphs)
	p.v = v
}
