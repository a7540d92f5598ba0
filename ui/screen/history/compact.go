package history

import (
	"tokscope/metrics/history"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// compact draws what a small terminal has room for: the sentence, then the
// newest runs.
func (p *canvas) compact(r draw.Rect) {
	top, _ := r.SplitV(max(r.H-4, 1))
	y := p.sentence(top)
	v := p.v
	if v.rows.All == 0 || y >= r.H {
		return
	}
	p.visible = max(r.H-y-1, 0)
	v.scroll(p.visible)
	l := p.Row(r, y)
	const momentW, figureW = 9, 10
	l.Skip(2)
	l.Slot(themes.Dim, "UTC", momentW)
	l.Slot(themes.Dim, "TTFT", figureW)
	l.Slot(themes.Dim, "TPOT", figureW)
	for i := range p.visible {
		at := v.Top + i
		if at >= v.rows.Matching {
			return
		}
		l, e := p.run(draw.Rect{X: r.X, Y: r.Y + y + 1 + i, W: r.W, H: 1}, at)
		if e == nil {
			continue
		}
		l.Slot(themes.Dim, p.Keep(e.At.UTC().AppendFormat(p.Scratch(), "15:04:05")), momentW)
		for _, f := range [...]history.Figure{history.TTFT, history.TPOT} {
			l.Slot(themes.Text, p.Duration(e.Figures[f]), figureW)
		}
		ended(l, cell{p, e})
	}
}
