package load

import (
	"math"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// drawLanes draws the lanes of r, a row each or several a row.
func (s *lanes) drawLanes(p *canvas, r draw.Rect, lanes []loadstat.Lane) {
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
func (s *lanes) lane(p *canvas, r draw.Rect, l *loadstat.Lane, end, n int) {
	s.place(p.Grid, r, laneRow{l.User, r.X, 1})
	digits := digitsOf(n)
	h := r.H
	if h >= 3 {
		h-- // a blank row separates tall lanes
	}
	r = draw.Rect{X: r.X, Y: r.Y + h - 1, W: r.W, H: 1} // the bottom row of the lane
	st := themes.Dim
	if l.User == s.cursor {
		st = themes.Selected
		p.Grid.Fill(draw.Rect{X: r.X, Y: r.Y, W: digits + 1, H: 1}, ' ', st)
	}
	p.Grid.Right(r.X+digits, r.Y, p.Int(l.User), st, digits)
	strip := s.pastOf(r, n)
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
func (s *lanes) column(p *canvas, x, bottom, h int, sl loadstat.Slice) {
	glyph, role := s.slice(p, sl)
	s.stalls = s.stalls || sl.State == loadstat.LaneStalled
	switch {
	case h == 1 || sl.State == loadstat.LaneIdle:
		p.Grid.Set(x, bottom, glyph, role)
	case sl.State == loadstat.LaneDecoding || sl.State == loadstat.LaneLeaving:
		if sl.Gap > 0 {
			p.Grid.Bar(x, bottom, h, share(float64(sl.Gap)), p.Glyphs, role)
		} else {
			p.Grid.Set(x, bottom, glyph, role)
		}
	default:
		p.Grid.Down(x, bottom-h+1, h, glyph, role)
	}
}

// laneNow is the width of a lane's present figure: "  1.24 s".
const laneNow = 8

// laneNow writes the last gap while decoding, else for how long the state
// lasts, in the state's color.
func (s *lanes) laneNow(p *canvas, l line, lane *loadstat.Lane) {
	text := ""
	_, role := s.state1(p, lane.State)
	switch lane.State {
	case loadstat.LaneDecoding, loadstat.LaneLeaving:
		if lane.Gap > 0 {
			text = p.Ms(lane.Gap)
		}
		role = themes.Heat(draw.Heat(lane.Gap))
	case loadstat.LaneIdle:
		text = "idle"
	default:
		if d, ok := p.v.Load.Now.Sub(lane.Since); ok && d >= 0 {
			text = p.Ms(float64(d) / 1e6)
		}
	}
	if lane.Leaving && lane.State != loadstat.LaneIdle {
		role = themes.Faint
	}
	l.Field(role, text, laneNow)
}

func (s *lanes) state1(p *canvas, st loadstat.LaneState) (rune, themes.Role) {
	switch st {
	case loadstat.LaneConnecting:
		return p.Glyphs.Bullet, themes.Network
	case loadstat.LaneWaiting:
		return p.Glyphs.Bullet, themes.Queue
	case loadstat.LaneNoToken:
		return p.Glyphs.MidShade, themes.Dim
	case loadstat.LanePrefill:
		return p.Glyphs.Shade, themes.Prefill
	case loadstat.LaneDecoding:
		return p.Glyphs.Bars[0], themes.Decode
	case loadstat.LaneStalled:
		return p.Glyphs.Block, hot
	case loadstat.LaneBackoff:
		return p.Glyphs.Times, themes.Warn
	case loadstat.LaneLeaving:
		return p.Glyphs.Bars[0], themes.Faint
	}
	return ' ', themes.Faint
}

// slice is the sign of a stretch: while decoding a bar as high as its longest
// gap is long.
func (s *lanes) slice(p *canvas, sl loadstat.Slice) (rune, themes.Role) {
	gap := float64(sl.Gap)
	switch {
	case sl.State == loadstat.LaneDecoding && gap > 0:
		return p.Glyphs.Bars[height(gap)], s.heat(gap)
	case sl.State == loadstat.LaneLeaving && gap > 0:
		return p.Glyphs.Bars[height(gap)], themes.Faint
	case sl.State == loadstat.LaneDecoding:
		return p.Glyphs.Bars[0], themes.Faint // no chunk ended in it
	}
	return s.state1(p, sl.State)
}

// lanesLegend names the signs, each in its color, a gap in those that are drawn. Where
// not all fit, those go first that nothing on the screen has: a stall that was not drawn,
// and a back-off while no request has failed.
func (s *lanes) lanesLegend(p *canvas, l line) {
	after := p.now.view.StallAfter
	stall := format.Either(after > 0, p.Join("stall > ", p.Ms(float64(after)/1e6)), "stall")
	silent, queue, prefill := "no token yet", "", ""
	if p.now.view.Waiting.OK { // the server reports its queue
		silent, queue, prefill = "", "waiting", "prefill"
	}
	var room [19]draw.Part
	parts := room[:0]
	low, high := s.drawn.low, s.drawn.top
	gap := format.Either(draw.Heat(low) < draw.Heat(high), "short to long gap", "decode = gap")
	for _, e := range [...]struct {
		state      loadstat.LaneState
		word, less string
		rank       int
	}{
		{loadstat.LaneNoToken, silent, format.If(silent != "", "no token"), 1},
		{loadstat.LaneWaiting, queue, "wait", 3}, {loadstat.LanePrefill, prefill, prefill, 2},
		{loadstat.LaneDecoding, gap, "gap", 2},
		{loadstat.LaneStalled, stall, "stall", format.Either(s.stalls, 0, 9)},
		{loadstat.LaneBackoff, "backoff", "backoff", format.Either(p.now.view.Failed > 0, 0, 8)},
	} {
		if e.word == "" {
			continue
		}
		glyph, role := s.state1(p, e.state)
		if len(parts) > 0 {
			parts = append(parts, brief("  ", " ", e.rank))
		}
		if e.state == loadstat.LaneDecoding {
			glyph = p.Glyphs.Bars[2]
			for _, ms := range [...]float64{low, math.Sqrt(low * high)} { // before the longest
				if draw.Heat(ms) < draw.Heat(high) {
					parts = append(parts, draw.Part{Role: themes.Heat(draw.Heat(ms)),
						Text: string(p.Glyphs.Bars[height(ms)]), Rank: e.rank})
				}
			}
			if high > 0 {
				glyph, role = p.Glyphs.Bars[height(high)], themes.Heat(draw.Heat(high))
			}
		}
		parts = append(parts, draw.Part{Role: role, Text: string(glyph), Rank: e.rank},
			brief(p.Join(" ", e.word), p.Join(" ", e.less), e.rank))
	}
	l.Fit(parts...)
}

// digitsOf is the width of the largest user number, at least 2.
func digitsOf(n int) int {
	d := 2
	for ; n >= 100; n /= 10 {
		d++
	}
	return d
}

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
		l := &lanes[i]
		glyph, role := s.slice(p, loadstat.Slice{State: l.State, Gap: float32(l.Gap)})
		s.stalls = s.stalls || l.State == loadstat.LaneStalled
		switch {
		case l.User == s.cursor:
			role = themes.Badge
		case l.Leaving:
			role = themes.Faint
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
		glyph, role := s.cell(&sums[i], p.Glyphs)
		s.stalls = s.stalls || glyph == p.Glyphs.Block && role == hot
		p.Grid.Set(past.X+i, r.Y, glyph, role)
	}
}

// cell is one slice of several lanes in one cell.
func (s *lanes) cell(t *total, gl *themes.Glyphs) (rune, themes.Role) {
	first, decode := t.first(), t.decode()
	switch {
	case first > 0 && first*8 >= t.here():
		glyph := format.Either(first*8 >= 3*t.here(), gl.MidShade, gl.LightShade)
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
		glyph, role = gl.Bars[height(mean)], s.heat(mean)
	}
	return glyph, format.Either(t.stalled() > 0, hot, role)
}

// tallest is the largest height of a lane, in rows. Higher lanes show no
// more, and close lanes compare better.
const tallest = 8

// hot is the color of what is too slow, for lines and blocks. Reverse video,
// which themes without color use for bad values, would make these unreadable.
var hot = themes.Heat(themes.Levels - 1)

// heat is the color of a gap in ms that is drawn, for which the legend has a sign.
func (s *lanes) heat(ms float64) themes.Role {
	s.drawn.span(metrics.Known(ms, 1))
	return themes.Heat(draw.Heat(ms))
}

// share is the height of a gap in ms on a scale of its own, 0 to 1.
func share(ms float64) float64 { return draw.GapShare(ms, draw.GapMin/2, 0.02) }

// height is the bar of a gap in ms, 0 to 7: an index into Bars. Only stalls
// use the full block.
func height(ms float64) int {
	return min(int(draw.GapShare(ms, draw.GapMin, 0)*7), 6)
}
