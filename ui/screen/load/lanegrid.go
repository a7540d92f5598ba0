package load

import (
	"tokscope/metrics/loadstat"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
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
func (s *lanes) grid(p *canvas, r draw.Rect, lanes []loadstat.Lane, end, n int) {
	label, from := s.label, r.X+s.label
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
	past := s.pastOf(r, n)
	if past.W <= 1 {
		return
	}
	p.Grid.Set(past.X-1, r.Y, p.Glyphs.V, themes.Border)
	sums := s.sums(lanes, end, past.W)
	for i := range sums {
		if end-past.W+i < 0 {
			continue // before the load began
		}
		glyph, role := sums[i].cell(p.Glyphs)
		s.stalls = s.stalls || glyph == p.Glyphs.Block && role == hot
		p.Grid.Set(past.X+i, r.Y, glyph, role)
	}
}

// cellNow is one user in one cell.
func (s *lanes) cellNow(p *canvas, l *loadstat.Lane) (rune, themes.Role) {
	s.stalls = s.stalls || l.State == loadstat.LaneStalled
	glyph, role := s.slice(p, loadstat.Slice{State: l.State, Gap: float32(l.Gap)})
	return glyph, format.Either(l.Leaving, themes.Faint, role)
}

// cell is one slice of several lanes in one cell.
func (t *total) cell(gl *themes.Glyphs) (rune, themes.Role) {
	first, decode := t.first(), t.decode()
	switch {
	case first > 0 && first*8 >= t.here():
		glyph := gl.LightShade
		if first*8 >= 3*t.here() {
			glyph = gl.MidShade
		}
		if first*8 >= 5*t.here() {
			glyph = gl.Shade
		}
		return glyph, t.firstRole()
	case t.back() > decode:
		return gl.Times, themes.Warn
	case decode == 0:
		return ' ', themes.Faint
	case 2*t.stalled() >= decode:
		return gl.Block, hot
	}
	glyph, role := gl.Bars[0], themes.Faint
	if t.gaps > 0 {
		mean := t.sum / float64(t.gaps)
		glyph, role = gl.Bars[height(mean)], themes.Heat(draw.Heat(mean))
	}
	return glyph, format.Either(t.stalled() > 0, hot, role)
}
