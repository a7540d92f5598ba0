package load

import (
	"tokscope/metrics/loadstat"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// Sizes of the summary below the lanes.
const (
	leastAggregate = 4  // rows that must be left below the lanes
	mostAggregate  = 12 // rows of its picture: more rows show no more
	boxSide        = 2  // columns of a box beside its inside: a border and a blank
)

// aggregate sums up all lanes in the rows that they leave free, below a rule and on
// their time: from below the mean of the longest gap that each had in a slice, so that
// a prefill that stretches those of all is seen, and from above how many have no token
// yet.
func (s *lanes) aggregate(p *canvas, r draw.Rect, lanes []loadstat.Lane, end int) {
	used := (len(lanes) + s.perRow - 1) / s.perRow * s.tall
	past := s.pastOf(r, len(lanes))
	if s.first > 0 || len(lanes) < 2 || r.H-used < leastAggregate || past.W < 8 {
		return
	}
	h := min(r.H-used-1, mostAggregate)
	if h > leastAggregate-2 {
		h-- // a blank row above the legend of the lanes
	}
	past.Y, past.H = r.Y+used+1, h
	box := draw.Rect{X: r.X - boxSide, Y: r.Y, W: r.W + 2*boxSide, H: r.H}
	title := draw.FirstFit(r.W-2, "all users: waiting (top), gap (bottom)", "all users")
	p.Grid.Rule(box, past.Y-1, p.Glyphs, themes.Border, p.Chrome(title), themes.Dim)
	for i, t := range s.sums(lanes, end, past.W) {
		drawTotal(p, draw.Rect{X: past.X + i, Y: past.Y, W: 1, H: h}, &t)
	}
}

// pastOf is where the past of the lanes in r is drawn.
func (s *lanes) pastOf(r draw.Rect, n int) draw.Rect {
	if s.perRow == 1 {
		label := digitsOf(n)
		return draw.Rect{X: r.X + label + 1, Y: r.Y, W: r.W - label - 1 - laneNow, H: r.H}
	}
	from := r.X + s.label + s.perRow + 1
	return draw.Rect{X: from, Y: r.Y, W: r.Right() - from, H: r.H}
}

// drawTotal draws one slice of all lanes into the column r.
func drawTotal(p *canvas, r draw.Rect, t *total) {
	first, back := t.first(), t.back()
	here := first + t.decode() + back // those who are idle do not count
	if here == 0 {
		return
	}
	above := 0
	if first > 0 { // one is visible, however many lanes exist
		above = max((2*first*r.H+here)/(2*here), 1)
	}
	p.Grid.Down(r.X, r.Y, above, p.Glyphs.MidShade, t.firstRole())
	h := r.H - above
	switch {
	case h <= 0:
	case t.gaps > 0:
		mean := t.sum / float64(t.gaps)
		p.Grid.Bar(r.X, r.Bottom()-1, h, min(share(mean)*float64(r.H)/float64(h), 1), p.Glyphs,
			format.Either(t.stalled() > 0, hot, themes.Heat(draw.Heat(mean))))
	case back > 0:
		n := min((2*back*r.H+here)/(2*here), h)
		p.Grid.Down(r.X, r.Bottom()-n, n, p.Glyphs.Times, themes.Warn)
	case t.stalled() > 0:
		p.Grid.Bar(r.X, r.Bottom()-1, h, 1, p.Glyphs, hot)
	}
}
