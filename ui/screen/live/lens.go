package live

import (
	"tokscope/metrics"
	"tokscope/metrics/slo"
	"tokscope/ui/draw"
	"tokscope/ui/lens"
)

// LensAt reports how a terminal of w by h shows a lens: as a box, as a line,
// or not at all. The root takes one row above, one below, and one column.
func LensAt(w, h int) (box, line bool) {
	p := layout(draw.Rect{W: w - 1, H: h - 2}, true)
	return !p.compact && !p.lensLine, p.lensLine
}

// glass is the lens, and the medians of earlier runs for comparison.
type glass struct {
	panel lens.Panel
	past  slo.LensFigures
	runs  []*metrics.Run
}

// lensPanel draws the lens where the plan has room for it.
func (s *picture) lensPanel(p *canvas, lay plan) {
	if lay.lens.Empty() {
		return
	}
	v, l := p.v, &s.lens
	l.panel.Update(v.Lens, v.Task, slo.LensOfStream(&v.Stream, &v.Figures, v.Now), l.past, p.Glyphs)
	if lay.lensLine {
		l.panel.Line(&p.Canvas, lay.lens)
	} else {
		l.panel.Draw(&p.Canvas, lay.lens)
	}
}
