package explain

import (
	"tokscope/metrics/serving"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// column is one column of the timeline while several steps share it.
type column struct {
	prefill, decode float64 // seconds in steps with and without a prefill
	longest         float64 // longest step that ended here, seconds
	thrown          int     // preempted requests
	at              float64 // end of the last step that preempted
}

// denseLane draws columns that each hold several steps: below, the share of
// the time in steps that prefill and in those that only decode; above, the
// longest of them.
func (s *timeline) denseLane(p *canvas, t *track, e *serving.View, body draw.Rect, pool string) {
	if cap(s.cols) < t.r.W {
		s.cols = make([]column, t.r.W)
	}
	s.cols = s.cols[:t.r.W]
	clear(s.cols)
	for st := range t.visible(e, pool) {
		s.page++
		s.add(t, st, st.End)
	}
	if d := e.Doing; d != nil && d.Pool == pool {
		s.add(t, d, min(e.Clock, d.End))
	}
	top := 0
	if body.H >= 3 {
		top = 1
	}
	for i := range s.cols {
		s.denseColumn(p, t, body, e, i, top)
	}
}

// add divides a step that lasted until the given time over its columns.
func (s *timeline) add(t *track, st *serving.EngineStep, until float64) {
	a, b := t.col(st.Start), t.col(until)
	for c := max(a, t.first); c <= b && c < t.first+int64(len(s.cols)); c++ {
		k := &s.cols[c-t.first]
		from, to := float64(c)*t.column, float64(c+1)*t.column
		d := max(min(to, until)-max(from, st.Start), 0)
		if st.Prefilled > 0 {
			k.prefill += d
		} else {
			k.decode += d
		}
	}
	if i := b - t.first; i >= 0 && i < int64(len(s.cols)) && until == st.End {
		k := &s.cols[i]
		k.longest = max(k.longest, st.End-st.Start)
		if st.Preempted > 0 {
			k.thrown += st.Preempted
			k.at = max(k.at, st.End)
		}
	}
}

func (s *timeline) denseColumn(p *canvas, t *track, body draw.Rect, e *serving.View, i, top int) {
	k := &s.cols[i]
	x, rows := t.r.X+i, body.H-top
	busy := min((k.prefill+k.decode)/t.column, 1)
	if k.prefill <= 0 {
		p.Grid.Bar(x, body.Bottom()-1, rows, busy, p.Glyphs, themes.Decode)
	} else {
		low := int(k.decode/t.column*float64(rows) + 0.5)
		if k.decode > 0 && rows > 1 {
			low = min(max(low, 1), rows-1)
		}
		high := min(max(int(busy*float64(rows)+0.5), low+1), rows)
		p.Grid.Down(x, body.Bottom()-high, high, p.Glyphs.Shade, themes.Prefill)
		p.Grid.Down(x, body.Bottom()-low, low, p.Glyphs.Block, themes.Decode)
	}
	if top > 0 && k.longest > 0 {
		ms := k.longest * 1e3
		p.Grid.Bar(x, body.Y, 1, gapShare(ms), p.Glyphs, themes.Heat(draw.Heat(ms)))
	}
	if k.thrown > 0 {
		p.Grid.Set(x, body.Y, p.Glyphs.Stall, p.thrownRole(e, k.at))
	}
}
