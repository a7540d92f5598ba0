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
	if v.All == 0 || y >= r.H {
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
		if at >= v.Matching {
			return
		}
		l := p.Row(r, y+1+i)
		p.Grid.Target(draw.Rect{X: r.X, Y: l.Y, W: r.W, H: 1}, onRow(at))
		if at == v.Selected {
			l.Set(themes.Accent, p.Glyphs.Ghost)
			l.Skip(1)
		} else {
			l.Skip(2)
		}
		e := v.row(at)
		if e == nil {
			l.Set(themes.Faint, p.Glyphs.Ellipsis)
			continue
		}
		l.Slot(themes.Dim, p.Keep(e.At.UTC().AppendFormat(p.Scratch(), "15:04:05")), momentW)
		for _, f := range [...]history.Figure{history.TTFT, history.TPOT} {
			l.Slot(themes.Text, p.Duration(e.Figures[f]), figureW)
		}
		p.ended(&l, e)
	}
}
