package load

import (
	"tokscope/metrics/loadstat"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// gridLabel is the width of a row's user numbers, such as "113-128", with a
// blank.
func gridLabel(n int) int { return 2*digitsOf(n) + 2 }

// grid draws several users in one row: what each does now, a cell each, and
// behind it the past of all together. Where at least an eighth of them waited
// for a first chunk, a shade says how many (light from 1/8, middle from 3/8,
// dark from 5/8); else a bar is the mean of their gaps. A stall of any of them
// changes the bar's color, so the mean hides none. Where half of them stall, the
// whole block is drawn.
func (s *lanes) grid(p *canvas, r draw.Rect, row int, lanes []loadstat.Lane, end, n int) {
	label := s.label
	from := r.X + label
	s.place(p.Grid, r, laneRow{lanes[0].User, from, len(lanes)})
	text := p.Int(lanes[0].User)
	if label >= gridLabel(n) && len(lanes) > 1 {
		text = p.Join(text, "-", p.Int(lanes[len(lanes)-1].User))
	}
	p.Grid.Right(r.X+label-1, r.Y, text, themes.Dim, label-1)
	for i := range lanes {
		glyph, role := s.cellNow(p, &lanes[i])
		if lanes[i].User == s.cursor {
			role = themes.Badge
		}
		p.Grid.Set(from+i, r.Y, glyph, role)
	}
	past := draw.Rect{X: from + s.perRow + 1, Y: r.Y, W: r.Right() - from - s.perRow - 1, H: 1}
	if past.W <= 1 {
		return
	}
	p.Grid.Set(past.X-1, r.Y, p.Glyphs.V, themes.Border)
	cellOf := func(at int) pastCell { return s.together(p, lanes, at) }
	known := s.row(row)
	id, ok := identify(&p.v.Load, lanes, end, past.W)
	if ok {
		known.begin(id, past.W)
	}
	for x := past.Right() - 1; x >= past.X; x-- {
		at := end - (past.Right() - x)
		if at < 0 {
			break
		}
		var c pastCell
		if ok {
			c = known.of(at, cellOf)
		} else {
			c = cellOf(at)
		}
		s.stalls = s.stalls || c.glyph == p.Glyphs.Block && c.role == hot
		p.Grid.Set(x, r.Y, c.glyph, c.role)
	}
}

// row returns what is kept of a drawn row.
func (s *lanes) row(i int) *kept[pastCell] {
	for len(s.past) <= i {
		s.past = append(s.past, kept[pastCell]{})
	}
	return &s.past[i]
}

// cellNow is one user in one cell.
func (s *lanes) cellNow(p *canvas, l *loadstat.Lane) (rune, themes.Role) {
	glyph, role := s.state1(p, l.State)
	s.stalls = s.stalls || l.State == loadstat.LaneStalled
	if l.State == loadstat.LaneDecoding && l.Gap > 0 {
		glyph, role = p.Glyphs.Bars[height(l.Gap)], themes.Heat(draw.Heat(l.Gap))
	}
	if l.Leaving {
		role = themes.Faint
	}
	return glyph, role
}

// together sums up one slice of several lanes.
func (s *lanes) together(p *canvas, lanes []loadstat.Lane, at int) pastCell {
	var here, wait, prefill, decode, backoff, gaps int
	var sum float64
	stalled := 0
	for i := range lanes {
		l := &lanes[i]
		j := at - l.Offset
		if j < 0 || j >= len(l.Past) {
			continue
		}
		sl := l.Past[j]
		here++
		switch sl.State {
		case loadstat.LaneWaiting, loadstat.LaneConnecting:
			wait++
		case loadstat.LanePrefill:
			prefill++
		case loadstat.LaneDecoding, loadstat.LaneLeaving:
			decode++
		case loadstat.LaneStalled:
			decode++
			stalled++
		case loadstat.LaneBackoff:
			backoff++
		}
		if sl.Gap > 0 {
			sum += float64(sl.Gap)
			gaps++
		}
	}
	first := wait + prefill
	var glyph rune
	var role themes.Role
	switch {
	case here == 0:
		return pastCell{' ', themes.Faint}
	case first*8 >= here:
		glyph, role = p.Glyphs.LightShade, themes.Prefill
		if first*8 >= 3*here {
			glyph = p.Glyphs.MidShade
		}
		if first*8 >= 5*here {
			glyph = p.Glyphs.Shade
		}
		if wait > prefill {
			role = themes.Queue
		}
		return pastCell{glyph, role}
	case backoff > decode:
		return pastCell{p.Glyphs.Times, themes.Warn}
	case decode == 0:
		return pastCell{' ', themes.Faint}
	}
	glyph, role = p.Glyphs.Bars[0], themes.Faint
	if gaps > 0 {
		mean := sum / float64(gaps)
		glyph, role = p.Glyphs.Bars[height(mean)], themes.Heat(draw.Heat(mean))
	}
	switch {
	case 2*stalled >= decode:
		glyph, role = p.Glyphs.Block, hot
	case stalled > 0:
		role = hot
	}
	return pastCell{glyph, role}
}
