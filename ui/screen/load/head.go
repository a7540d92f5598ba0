package load

import (
	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// head is the slider with the two figures of the seesaw, in numerals that can
// be read from the other side of a room.
func (s *Screen) head(p *canvas, lay plan) {
	in := p.Box(lay.users, themes.Border, "users", "")
	s.place("slider", lay.users)
	n := 0
	if p.v.Typed != "" {
		n = p.Grid.Big(in.X, in.Y, p.v.Typed, p.Glyphs, themes.Figure, in.W)
		p.Grid.Set(in.X+n+1, in.Y+2, p.Glyphs.Cursor, themes.Cursor)
	} else {
		p.Grid.Big(in.X, in.Y, p.Int(p.v.Want), p.Glyphs, themes.Figure, in.W)
	}
	const numerals = 15 // four of them
	track := draw.Rect{X: in.X + numerals + 2, Y: in.Y, W: in.W - numerals - 2, H: 1}
	s.drawTrack(p, track)
	track.Y++
	s.drawSteps(p, track)
	l := p.Row(in, 2)
	l.To(track.X)
	s.flow(p, l)
	l.To(track.X + stateWidth)
	s.state(p, l)
	s.bigFigure(p, lay.each, "each", &s.now.view.Live.Speed, themes.PerUser, s.eachRows)
	s.bigFigure(p, lay.total, "in all", &s.now.view.Live.Total, themes.InTotal, s.totalRows)
}

// bigFigure is a box with a large number, its unit, and rows beside it.
func (s *Screen) bigFigure(p *canvas, r draw.Rect, title string, v *metrics.Value, role themes.Role, rows func(p *canvas, i int) string) {
	live := &s.now.view.Live
	mark := p.Glyphs.Ring
	if live.Steady {
		mark = p.Glyphs.Dot
	}
	in := p.Box(r, themes.Border, title, "")
	if v.OK && s.now.view.Running {
		p.Grid.Set(r.Right()-3, r.Y, mark, role)
	}
	n := p.Grid.Big(in.X, in.Y, p.speed(*v), p.Glyphs, role, in.W)
	for i := range min(in.H, 3) {
		l := p.Row(in, i)
		l.To(in.X + max(n, 11) + 2)
		if i == 0 {
			l.Whole(themes.Unit, "tok/s")
			continue
		}
		l.Whole(themes.Dim, rows(p, i))
	}
}

func (s *Screen) eachRows(p *canvas, i int) string {
	v := &s.now.view
	if i == 1 {
		return p.Join("p5 ", p.speed(v.Live.SpeedP5))
	}
	if a := v.One(); a != nil {
		if mark := hollow(p, a); mark != "" { // there is room for no more
			return p.Join("1", mark, " ", p.speed(a.Speed))
		}
		return p.Join("1 had ", p.speed(a.Speed))
	}
	return ""
}

func (s *Screen) totalRows(p *canvas, i int) string {
	v := &s.now.view
	if i == 1 {
		return p.Join(p.rate(v.Live.Rate), " req/s")
	}
	a := v.One()
	if a == nil || !a.Total.OK || !v.Live.Total.OK || !(a.Total.V > 0) || !s.now.live { // on hold and on the way it is nobody's gain
		return ""
	}
	times := v.Live.Total.V / a.Total.V
	if !a.Steady && times > float64(max(v.Users, 1)) {
		return "" // users who share an endpoint are not faster for it: the window of one was too short to tell
	}
	return p.Join("×", p.number(times), hollow(p, a))
}

// hollow marks what rests on a point that was not steady.
func hollow(p *canvas, a *metrics.Point) string {
	if a.Steady {
		return ""
	}
	return p.Join(" ", string(p.Glyphs.Ring))
}

// said is the seesaw in words, of width columns where they can be that few.
func (s *Screen) said(width int) string {
	n := &s.now
	if n.width != width || n.sentence == "" {
		n.sentence, n.width = metrics.LoadSentenceWithin(&n.view, width), width
	}
	return n.sentence
}

// sentence is the seesaw in words: always there.
func (s *Screen) sentence(p *canvas, r draw.Rect) {
	s.place("sentence", r)
	l := p.Row(r, 0)
	l.Skip(1)
	v := &p.v.Load
	l.Cut(themes.Strong, s.said(l.Left()))
	switch {
	case v.ClientLimits != "" && l.Left() > 24:
		l.Skip(2)
		l.Cut(themes.Warn, p.Join("▲ ", v.ClientLimits))
	case v.Stopped != "" && v.Broken == "" && !v.Running && l.Left() > 12: // the lanes say what broke
		l.Skip(2)
		l.Cut(themes.Dim, v.Stopped)
	}
}
