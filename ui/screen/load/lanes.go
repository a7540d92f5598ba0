package load

import (
	"strings"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// lanesPanel shows what every user does, newest right: a row each, or several
// a row when there are more users than rows.
func (s *Screen) lanesPanel(p *canvas, r draw.Rect) {
	if r.Empty() {
		return
	}
	lanes := s.lanes(p.v)
	in := r.Inner()
	foot := 0
	if in.H >= 6 {
		foot = 1
	}
	area := draw.Rect{X: in.X, Y: in.Y, W: in.W, H: in.H - foot}
	s.arrange(len(lanes), area)
	p.Box(r, themes.Border, s.lanesTitle(p, len(lanes), r.W), s.chosenWords(p, lanes))
	if foot > 0 {
		l := p.Row(in, in.H-1)
		if why := p.v.Load.ClientLimits; why != "" && r.W < smallPanel {
			l.Cut(themes.Warn, p.Join("▲ ", why)) // no other panel has room for it
		} else {
			s.lanesLegend(p, l)
		}
	}
	if len(lanes) == 0 {
		s.empty(p, area)
		return
	}
	s.drawLanes(p, area, lanes)
	if why := p.v.Load.Broken; why != "" && area.H > 0 {
		s.alert(p, area, why)
	}
}

// alert writes why the load was broken off over the first lanes, in as many
// rows as it takes: the cause stands at its end.
func (s *Screen) alert(p *canvas, r draw.Rect, why string) {
	text := p.Chrome(why)
	for y := 0; y < r.H && text != ""; y++ {
		n := draw.Fit(text, r.W-2)
		p.Grid.Fill(draw.Rect{X: r.X, Y: r.Y + y, W: r.W, H: 1}, ' ', themes.Alert)
		if n == 0 || y == r.H-1 {
			p.Grid.Cut(r.X+1, r.Y+y, text, p.Glyphs, themes.Alert, r.W-2)
			return
		}
		p.Grid.Text(r.X+1, r.Y+y, text[:n], themes.Alert, r.W-2)
		text = strings.TrimLeft(text[n:], " ")
	}
}

// empty says how to begin, or how it ended.
func (s *Screen) empty(p *canvas, r draw.Rect) {
	v := &p.v.Load
	text := p.Join("space begins with ", p.Int(p.v.Want), draw.Either(p.v.Want == 1, " user", " users"))
	st := themes.Dim
	switch {
	case v.Broken != "":
		text, st = v.Broken, themes.Bad
	case v.Running:
		text = "users are starting"
	case v.Stopped != "":
		text = v.Stopped
	case s.begun(p):
		text = "ended; space begins again"
	}
	text = p.Chrome(text)
	for y := r.H / 3; y < r.H && text != ""; y++ {
		n := draw.Fit(text, r.W)
		p.Grid.Center(r.X, r.Y+y, r.W, text[:n], p.Glyphs, st)
		text = strings.TrimLeft(text[n:], " ")
		if n == 0 {
			return
		}
	}
}

func (s *Screen) lanesTitle(p *canvas, n, w int) string {
	switch {
	case n == 0:
		return "lanes"
	case s.perRow <= 1 && n <= s.rows:
		return p.Join("lanes ─ ", p.Int(n))
	}
	last := min(s.first+s.rows*s.perRow, n)
	text := p.Join("lanes ─ ", p.Int(n))
	if s.first > 0 || last < n {
		text = p.Join("lanes ─ ", p.Int(s.first+1), "–", p.Int(last), " of ", p.Int(n))
	}
	if s.perRow > 1 && w >= 40 {
		text = p.Join(text, " ─ ", p.Int(s.perRow), " a row")
		if s.index(s.lanes(p.v)) < 0 { // else that lane is told of here
			text = p.Join(text, ": now │ before")
		}
	}
	return text
}

// chosenWords are about the selected lane, for the upper border.
func (s *Screen) chosenWords(p *canvas, lanes []metrics.Lane) string {
	i := s.index(lanes)
	if i < 0 {
		return ""
	}
	l := &lanes[i]
	text := p.Join("user ", p.Int(l.User), " ", l.State.String())
	if l.State == metrics.LaneDecoding && l.Gap > 0 {
		text = p.Join(text, " ", p.Ms(l.Gap))
	}
	return text
}

// arrange decides how many lanes share a row of r, and which is the first
// shown, so that the selected one is in view.
func (s *Screen) arrange(n int, r draw.Rect) {
	s.rows, s.perRow, s.tall = max(r.H, 0), 1, 1
	if n == 0 || r.H <= 0 {
		s.first = 0
		return
	}
	s.label = gridLabel(n)
	if n > (r.W-s.label)*r.H {
		s.label = digitsOf(n) + 1 // room for lanes rather than for the last number of each row
	}
	most := max(r.W-s.label, 1)
	s.perRow = min((n+r.H-1)/r.H, most)
	s.tall = min(max(r.H/n, 1), tallest)
	s.rows = r.H / s.tall
	shown := s.perRow * s.rows
	if i := s.cursorIndex(); i >= 0 {
		row, top := i/s.perRow, s.first/s.perRow
		top = max(min(top, row), row-s.rows+1)
		s.first = top * s.perRow
	}
	last := max((n-shown+s.perRow-1)/s.perRow, 0) * s.perRow
	s.first = min(s.first/s.perRow*s.perRow, last)
}

func (s *Screen) cursorIndex() int {
	if s.cursor == 0 {
		return -1
	}
	return s.index(s.lanes(s.pen.v))
}

// drawLanes draws the lanes of r, a row each or as a crowd.
func (s *Screen) drawLanes(p *canvas, r draw.Rect, lanes []metrics.Lane) {
	end := 0 // index of the slice after the newest, since the load began
	for i := range lanes {
		end = max(end, lanes[i].Offset+len(lanes[i].Past))
	}
	for row := range s.rows {
		from := s.first + row*s.perRow
		if from >= len(lanes) {
			break
		}
		part := lanes[from:min(from+s.perRow, len(lanes))]
		line := draw.Rect{X: r.X, Y: r.Y + row*s.tall, W: r.W, H: s.tall}
		if s.perRow == 1 {
			s.lane(p, line, &part[0], end, len(lanes))
		} else {
			s.grid(p, line, part, end, len(lanes))
		}
	}
	s.aggregate(p, r, lanes, end)
}

// lane draws one user: its number, its past, and what it does now.
func (s *Screen) lane(p *canvas, r draw.Rect, l *metrics.Lane, end, n int) {
	s.hits = append(s.hits, hit{"lane", r, l.User, r.X, 1})
	digits := digitsOf(n)
	h := r.H
	if h >= 3 {
		h-- // a blank row sets tall lanes apart
	}
	r = draw.Rect{X: r.X, Y: r.Y + h - 1, W: r.W, H: 1} // the row the lane stands on
	st := themes.Dim
	if l.User == s.cursor {
		st = themes.Selected
		p.Grid.Fill(draw.Rect{X: r.X, Y: r.Y, W: digits + 1, H: 1}, ' ', st)
	}
	p.Grid.Right(r.X+digits, r.Y, p.Int(l.User), st, digits)
	strip := draw.Rect{X: r.X + digits + 1, Y: r.Y, W: r.W - digits - 1 - laneNow, H: 1}
	for x := strip.Right() - 1; x >= strip.X; x-- {
		i := end - (strip.Right() - x) - l.Offset
		if i < 0 {
			break
		}
		if i < len(l.Past) {
			s.column(p, x, r.Y, h, l.Past[i])
		}
	}
	s.laneNow(p, p.Line(strip.Right(), r.Y, laneNow), l)
}

// column draws one slice h rows high: a state as a block, a gap as a bar on the
// scale of all gaps.
func (s *Screen) column(p *canvas, x, bottom, h int, sl metrics.Slice) {
	glyph, role := s.slice(p, sl)
	switch {
	case h == 1 || sl.State == metrics.LaneIdle:
		p.Grid.Set(x, bottom, glyph, role)
	case sl.State == metrics.LaneDecoding || sl.State == metrics.LaneLeaving:
		if sl.Gap > 0 {
			p.Grid.Bar(x, bottom, h, share(float64(sl.Gap)), p.Glyphs, role)
		} else {
			p.Grid.Set(x, bottom, glyph, role)
		}
	default:
		for y := range h {
			p.Grid.Set(x, bottom-y, glyph, role)
		}
	}
}

// laneNow writes the last gap while decoding, else for how long the state
// lasts, in the state's colour.
func (s *Screen) laneNow(p *canvas, l line, lane *metrics.Lane) {
	text := ""
	_, role := s.state1(p, lane.State)
	switch lane.State {
	case metrics.LaneDecoding, metrics.LaneLeaving:
		if lane.Gap > 0 {
			text = p.Ms(lane.Gap)
		}
		role = themes.Heat(heat(lane.Gap))
	case metrics.LaneIdle:
		text = "idle"
	default:
		if d, ok := p.v.Load.Now.Sub(lane.Since); ok && d >= 0 {
			text = p.Ms(float64(d) / 1e6)
		}
	}
	if lane.Leaving && lane.State != metrics.LaneIdle {
		role = themes.Faint
	}
	l.Field(role, text, laneNow)
}

// state1 is the sign of a state.
func (s *Screen) state1(p *canvas, st metrics.LaneState) (rune, themes.Role) {
	switch st {
	case metrics.LaneConnecting:
		return p.Glyphs.Bullet, themes.Network
	case metrics.LaneWaiting:
		return p.Glyphs.Bullet, themes.Queue
	case metrics.LanePrefill:
		return p.Glyphs.Shade, themes.Prefill
	case metrics.LaneDecoding:
		return p.Glyphs.Bars[0], themes.Decode
	case metrics.LaneStalled:
		return p.Glyphs.Block, hot
	case metrics.LaneBackoff:
		return p.Glyphs.Times, themes.Warn
	case metrics.LaneLeaving:
		return p.Glyphs.Bars[0], themes.Faint
	}
	return ' ', themes.Faint
}

// slice is the sign of a stretch: while decoding a bar as high as its longest
// gap is long.
func (s *Screen) slice(p *canvas, sl metrics.Slice) (rune, themes.Role) {
	gap := float64(sl.Gap)
	switch {
	case sl.State == metrics.LaneDecoding && gap > 0:
		return p.Glyphs.Bars[height(gap)], themes.Heat(heat(gap))
	case sl.State == metrics.LaneLeaving && gap > 0:
		return p.Glyphs.Bars[height(gap)], themes.Faint
	case sl.State == metrics.LaneDecoding:
		return p.Glyphs.Bars[0], themes.Faint // no chunk ended in it
	}
	return s.state1(p, sl.State)
}

// lanesLegend names the signs, each in its colour. Where not all fit, the one of
// a back-off comes first once a request has failed: it may be on the screen.
func (s *Screen) lanesLegend(p *canvas, l line) {
	list := signs
	narrow := l.Left() < legendW
	if narrow && s.now.view.Failed > 0 {
		list = [...]sign{signs[4], signs[0], signs[1], signs[2], signs[3]}
	}
	for i, e := range list {
		glyph, role := s.state1(p, e.state)
		switch {
		case e.state == metrics.LaneDecoding:
			glyph = p.Glyphs.Bars[2]
			if l.Left() < 34 {
				e.word = "decode"
			}
		case e.state == metrics.LaneStalled && !narrow && s.now.view.StallAfter > 0:
			e.word = p.Join("stall > ", p.Ms(float64(s.now.view.StallAfter)/1e6))
		}
		n := draw.Width(e.word) + 2
		if i > 0 {
			l.Skip(min(2, max(l.Left()-n, 1)))
		}
		if n > l.Left() {
			return
		}
		p.Grid.Set(l.X, l.Y, glyph, role)
		l.Skip(2)
		l.Write(themes.Dim, e.word)
	}
}
