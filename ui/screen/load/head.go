package load

import (
	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/cell"
)

// head is the slider with the two figures of the seesaw, in numerals that can
// be read from the other side of a room.
func (s *Screen) head(p *pen, lay plan) {
	in := p.box(lay.users, "users", "")
	s.place("slider", lay.users)
	n := 0
	if p.v.Typed != "" {
		n = p.g.Big(in.X, in.Y, p.v.Typed, p.gl, themes.Figure, in.W)
		p.g.Set(in.X+n+1, in.Y+2, p.gl.Cursor, themes.Cursor)
	} else {
		p.g.Big(in.X, in.Y, p.int(p.v.Want), p.gl, themes.Figure, in.W)
	}
	const numerals = 15 // four of them
	track := cell.Rect{X: in.X + numerals + 2, Y: in.Y, W: in.W - numerals - 2, H: 1}
	s.drawTrack(p, track)
	track.Y++
	s.drawSteps(p, track)
	l := p.row(in, 2)
	l.to(track.X)
	s.flow(p, l)
	l.to(track.X + stateWidth)
	s.state(p, l)
	s.bigFigure(p, lay.each, "each", &s.now.view.Live.Speed, themes.PerUser, s.eachRows)
	s.bigFigure(p, lay.total, "in all", &s.now.view.Live.Total, themes.InTotal, s.totalRows)
}

// bigFigure is a box with a large number, its unit, and rows beside it.
func (s *Screen) bigFigure(p *pen, r cell.Rect, title string, v *metrics.Value, role themes.Role, rows func(p *pen, i int) string) {
	live := &s.now.view.Live
	mark := p.gl.Ring
	if live.Steady {
		mark = p.gl.Dot
	}
	in := p.box(r, title, "")
	if v.OK && s.now.view.Running {
		p.g.Set(r.Right()-3, r.Y, mark, role)
	}
	n := p.g.Big(in.X, in.Y, p.speed(*v), p.gl, role, in.W)
	for i := range min(in.H, 3) {
		l := p.row(in, i)
		l.to(in.X + max(n, 11) + 2)
		if i == 0 {
			l.whole(themes.Unit, "tok/s")
			continue
		}
		l.whole(themes.Dim, rows(p, i))
	}
}

func (s *Screen) eachRows(p *pen, i int) string {
	v := &s.now.view
	if i == 1 {
		return p.join("p5 ", p.speed(v.Live.SpeedP5))
	}
	if a := v.One(); a != nil {
		if mark := hollow(p, a); mark != "" { // there is room for no more
			return p.join("1", mark, " ", p.speed(a.Speed))
		}
		return p.join("1 had ", p.speed(a.Speed))
	}
	return ""
}

func (s *Screen) totalRows(p *pen, i int) string {
	v := &s.now.view
	if i == 1 {
		return p.join(p.rate(v.Live.Rate), " req/s")
	}
	if a := v.One(); a != nil && a.Total.OK && v.Live.Total.OK && a.Total.V > 0 {
		return p.join("×", p.number(v.Live.Total.V/a.Total.V), hollow(p, a))
	}
	return ""
}

// hollow marks what rests on a point that was not steady.
func hollow(p *pen, a *metrics.LoadPoint) string {
	if a.Steady {
		return ""
	}
	return p.join(" ", string(p.gl.Ring))
}

// said is the seesaw in words, of width columns where they can be that few.
func (s *Screen) said(width int) string {
	n := &s.now
	if n.width != width || n.sentence == "" {
		n.sentence, n.width = metrics.SummaryWithin(&n.view, width), width
	}
	return n.sentence
}

// sentence is the seesaw in words: always there.
func (s *Screen) sentence(p *pen, r cell.Rect) {
	s.place("sentence", r)
	l := p.row(r, 0)
	l.skip(1)
	v := &p.v.Load
	l.cut(themes.Strong, s.said(l.left()))
	switch {
	case v.ClientLimits != "" && l.left() > 24:
		l.skip(2)
		l.cut(themes.Warn, p.join("▲ this program limits: ", v.ClientLimits))
	case v.Stopped != "" && v.Broken == "" && !v.Running && l.left() > 12: // the lanes say what broke
		l.skip(2)
		l.cut(themes.Dim, v.Stopped)
	}
}
