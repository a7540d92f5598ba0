package load

import (
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// leastList is the height from which the list of requests has rows in its box.
const leastList = 6

// essentials is the screen where there is no room for boxes: the sentence, the
// slider, state, TTFT, gaps, goodput, and lanes in what is left.
func (s *picture) essentials(p *canvas, r draw.Rect) {
	_, r = r.SplitV(p.Wrapped(r, 0, 2, themes.Strong, p.said(r.W, 2)))
	users, r := r.SplitV(format.Either(r.W < compactW && p.v.Replay == nil && !p.v.idle(), 3, 2))
	s.head.slider(p, users)
	if p.v.idle() {
		s.lanes.promise(p, r)
		return
	}
	v := &s.now.view
	l := p.Row(r, 0)
	p.dist(&l, "TTFT", 5, true, themes.Strong, &v.Live.TTFT)
	l = p.Row(r, 1)
	p.dist(&l, "gap", 5, true, themes.Strong, &v.Live.Gaps)
	l = p.Row(r, 2)
	l.Write(themes.Dim, "good ")
	l.Field(themes.Text, p.PercentOf(v.Live.GoodShare), 5)
	l.Skip(2)
	p.troubles(l)
	_, r = r.SplitV(3)
	if p.v.Replay != nil {
		if r.H >= leastList {
			s.list(p, r)
		}
		return
	}
	s.lanes.perRow, s.lanes.rows = 1, 0
	if r.H > 0 && r.W > 12 {
		lanes := p.now.lanes(p.v)
		s.lanes.arrange(lanes, r)
		s.lanes.drawLanes(p, r, lanes)
	}
}
