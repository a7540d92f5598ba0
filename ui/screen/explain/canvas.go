package explain

import (
	"tokscope/ui/draw"
	"tokscope/ui/say"
)

// canvas is what the panels draw with, the view they draw, and what several of
// them draw of: the figures that are shown and the chunks that were heard.
type canvas struct {
	draw.Canvas
	v     *View
	now   *figures
	heard *heard
}

type line = draw.Line

// begin points the canvas at a new frame of s.
func (p *canvas) begin(g *draw.Grid, v *View, s *picture) {
	p.Begin(g, v.Glyphs)
	p.v, p.now, p.heard = v, &s.now, &s.heard
}

// broken returns why the engine does not run although it should, "" otherwise.
func (p *canvas) broken() string {
	return p.now.ending.Of(p.v.Explain.Broken, say.Ending)
}
