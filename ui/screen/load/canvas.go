package load

import (
	"tokscope/metrics"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// canvas is what the panels draw with, the view they draw, and the figures that
// are shown of it.
type canvas struct {
	draw.Canvas
	v   *View
	now *figures
}

type line = draw.Line

// begin points the canvas at a new frame.
func (p *canvas) begin(g *draw.Grid, v *View, now *figures) {
	p.Begin(g, v.Glyphs)
	p.v, p.now = v, now
}

// ending returns why the load ended by itself.
func (p *canvas) ending(e metrics.Ending) string { return p.now.ending.Text(e, format.Ending) }

// limits returns why this program itself limits the load, "" when it does not.
func (p *canvas) limits() string {
	return p.now.limits.Text(p.v.Load.ClientLimits, format.ClientLimit)
}
