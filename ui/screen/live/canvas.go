package live

import (
	"tokscope/metrics"
	"tokscope/ui/draw"
)

// canvas is what the panels draw with, the view they draw, and what several of
// them draw of.
type canvas struct {
	draw.Canvas
	v      *View
	ghost  *ghost
	strip  *strip
	median *metrics.Value // TTFT of comparable runs
}

type line = draw.Line

// begin points the canvas at a new frame of s.
func (p *canvas) begin(g *draw.Grid, v *View, s *picture) {
	p.Begin(g, v.Glyphs)
	p.v, p.ghost, p.strip, p.median = v, &s.ghost, &s.strip, &s.median
}
