package live

import (
	"tokscope/metrics"
	"tokscope/metrics/verdict"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// canvas is what the panels draw with, the view they draw, and what several of
// them draw of.
type canvas struct {
	draw.Canvas
	v        *View
	ghost    *ghost
	cursor   int            // chunk, -1 for none
	median   *metrics.Value // TTFT of comparable runs
	trends   *trends        // of the figures over the last of them
	messaged bool           // the message has a row of its own
	said     []verdict.Code // of the conclusion as it is on the screen
	boxless  bool           // panels have no boxes
}

type line = draw.Line

// begin points the canvas at a new frame of s.
func (p *canvas) begin(g *draw.Grid, v *View, s *picture) {
	p.Begin(g, v.Glyphs)
	p.v, p.ghost, p.median = v, &s.ghost, &s.median
	p.trends, p.said = &s.trends, nil
	p.messaged, p.boxless = false, false
	p.cursor = s.scope.cursor
}

// box draws the frame of a panel and returns the space inside: all of it where panels
// have none.
func (p *canvas) box(r draw.Rect, title, right string) draw.Rect {
	if p.boxless {
		return r
	}
	return p.Box(r, themes.Border, title, right)
}
