package live

import "tokscope/ui/draw"

// pen is what the panels draw with, and the view they draw.
type pen struct {
	draw.Canvas
	v *View
}

// begin points the pen at a new frame.
func (p *pen) begin(g *draw.Grid, v *View) {
	p.Begin(g, v.Glyphs)
	p.v = v
}
