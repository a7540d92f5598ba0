package load

import (
	"tokscope/metrics/loadstat"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// otherSlider is the slider that is not in use: that of the rate in a closed
// loop, that of the users in an open one. It shows what the load does by itself,
// and where that slider would begin.
type otherSlider struct {
	track draw.Rect // empty where it was not drawn
}

// otherLoad is the position of the slider that is not in use: the requests a
// second that end, or the requests under way. Before a load it is where that
// slider was left.
func (p *canvas) otherLoad() (at float64, known bool, text string) {
	v := &p.now.view
	rate, users := v.Live.Rate, v.InFlight
	switch {
	case p.v.Replay != nil:
		users = v.Live.Users
	case !v.Running && p.v.Open:
		return float64(p.v.Want), true, p.Int(p.v.Want)
	case !v.Running:
		return p.v.WantRate, true, p.plain(p.v.WantRate)
	}
	if p.v.Open {
		return float64(users), users > 0, p.Int(users)
	}
	return rate.V, rate.OK && rate.V > 0, p.NumberOf(rate)
}

// row draws the slider in a row of r: its name and value from r.X on, its track
// from column x on, w columns wide, and where there is room what the value is,
// all dim.
func (s *otherSlider) row(p *canvas, r draw.Rect, x, w int) {
	l := p.Row(r, 0)
	at, known, text := p.otherLoad()
	l.Write(themes.Dim, draw.Either(p.v.Open, "users ", "req/s "))
	value := l
	value.End = x - 1 // a blank before the track, and one after the name
	value.X = max(x-2-draw.Width(text), min(l.X, value.End-draw.Width(text)))
	if word := draw.Either(p.v.Open, "busy", "end"); p.now.view.Running && draw.Width(word) < value.X-l.X {
		l.Write(themes.Dim, word)
	}
	value.Write(themes.Dim, text)
	if w < 4 {
		return
	}
	s.track = draw.Rect{X: x, Y: r.Y, W: w, H: 1}
	p.Grid.Target(draw.Rect{X: r.X, Y: r.Y, W: x + w - r.X, H: 1}, onOther)
	column, steps := func(load float64) int { return rateColumn(load, w) }, rateSteps[:]
	if p.v.Open {
		column, steps = func(load float64) int { return columnOf(int(load), w) }, userSteps[:]
	}
	for i := range w {
		p.Grid.Set(x+i, r.Y, p.Glyphs.H, themes.Faint)
	}
	for _, n := range steps {
		p.Grid.Set(x+column(n), r.Y, p.Glyphs.TeeT, themes.Faint)
	}
	if known {
		p.Grid.Set(x+column(at), r.Y, p.Glyphs.Diamond, themes.Dim)
	}
	if l.X = x + w + 2; p.now.view.Running && p.v.Replay == nil {
		l.Whole(themes.Dim, draw.Either(p.v.Open, "requests under way", "requests a second that end"))
	}
}

// note is what is said of the other slider where it has no row: how requests
// arrive, and in a closed loop how many a second end.
func (s *otherSlider) note(p *canvas, l line) {
	if p.v.Open {
		l.Whole(themes.Dim, draw.Either(p.v.Poisson, "Poisson", "even"))
		return
	}
	if _, known, text := p.otherLoad(); known && p.now.view.Running {
		l.Whole(themes.Dim, p.Join(text, " req/s"))
	}
}

// slideOther brings the slider that is not in use into use, at column x of its
// track.
func (s *sliders) slideOther(x int) {
	track := s.pic.head.other.track
	if track.W == 0 {
		return
	}
	if s.view.Open {
		s.drive(loadstat.Drive{Users: usersAt(track, x)})
		return
	}
	s.drive(s.rate(rateAt(track, x)))
}
