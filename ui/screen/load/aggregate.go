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
		s.drawTotal(p, draw.Rect{X: past.X + i, Y: past.Y, W: 1, H: h}, &t)
	}
}

// pastOf is where the past of the lanes in r is drawn.
func (s *lanes) pastOf(r draw.Rect, n int) draw.Rect {
	before, behind := s.label+s.perRow+1, 0
	if s.perRow == 1 {
		before, behind = digitsOf(n)+1, laneNow
	}
	return draw.Rect{X: r.X + before, Y: r.Y, W: r.W - before - behind, H: r.H}
}

// drawTotal draws one slice of all lanes into the column r.
func (s *lanes) drawTotal(p *canvas, r draw.Rect, t *total) {
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
			format.Either(t.stalled() > 0, hot, s.heat(mean)))
	case back > 0:
		n := min((2*back*r.H+here)/(2*here), h)
		p.Grid.Down(r.X, r.Bottom()-n, n, p.Glyphs.Times, themes.Warn)
	case t.stalled() > 0:
		p.Grid.Bar(r.X, r.Bottom()-1, h, 1, p.Glyphs, hot)
	}
}

// total is one slice of several lanes: how many are in each state, and their gaps.
type total struct {
	in   [loadstat.LaneLeaving + 1]int32
	gaps int32
	sum  float64 // of the longest gaps that lanes had in it, ms
}

// wait, first, decode, stalled and back are how many wait for the server, have no token
// yet, decode, decode and stall, and wait after a failure; here is how many there are.
func (t *total) wait() int {
	return int(t.in[loadstat.LaneWaiting] + t.in[loadstat.LaneConnecting])
}
func (t *total) first() int {
	return t.wait() + int(t.in[loadstat.LanePrefill]+t.in[loadstat.LaneNoToken])
}
func (t *total) decode() int {
	return t.stalled() + int(t.in[loadstat.LaneDecoding]+t.in[loadstat.LaneLeaving])
}
func (t *total) stalled() int { return int(t.in[loadstat.LaneStalled]) }
func (t *total) back() int    { return int(t.in[loadstat.LaneBackoff]) }
func (t *total) here() int    { return int(t.in[loadstat.LaneIdle]) + t.first() + t.decode() + t.back() }

// firstRole is the color of those without a token: of what most of them do.
func (t *total) firstRole() themes.Role {
	switch {
	case 2*t.wait() > t.first():
		return themes.Queue
	case 2*int(t.in[loadstat.LanePrefill]) >= t.first():
		return themes.Prefill
	}
	return themes.Dim
}

// sums are the totals of the w slices of lanes before end, the oldest first. They are
// valid until the next call.
func (s *lanes) sums(lanes []loadstat.Lane, end, w int) []total {
	s.totals = append(s.totals[:0], make([]total, max(w, 0))...)
	for i := range lanes {
		l := &lanes[i]
		from := l.Offset - (end - w) // the place of its first slice
		for j := max(-from, 0); j < len(l.Past) && from+j < w; j++ {
			sl, t := &l.Past[j], &s.totals[from+j]
			if t.in[sl.State%loadstat.LaneState(len(t.in))]++; sl.Gap > 0 {
				t.sum += float64(sl.Gap)
				t.gaps++
			}
		}
	}
	return s.totals
}
