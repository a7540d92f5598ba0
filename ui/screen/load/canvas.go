package load

import "tokscope/ui/draw"

// pen is what the panels draw with, and the view they draw.
type canvas struct {
	draw.Canvas
	v *View
}

type line = draw.Line

// begin points the pen at a new frame.
func (p *canvas) begin(g *draw.Grid, v *View) {
	p.Begin(g, v.Glyphs)
	p.v = v
}
