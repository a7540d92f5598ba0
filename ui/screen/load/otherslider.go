package load

import (
	"math"

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

// place is where the handle of a slider stands, and the text of that value. A
// set one is what was asked for; others are measured, and known may be false.
type place struct {
	at         float64
	text       string
	known, set bool
}

// placeOf returns the place of the slider of the rate or of the users.
func (p *canvas) placeOf(open bool) place {
	v := &p.now.view
	switch {
	case open == p.drives() || !v.Running && v.Sent == 0:
		return p.wanted(open)
	case open:
		rate := v.Live.Rate
		return place{rate.V, p.NumberOf(rate), rate.OK && rate.V > 0, false}
	}
	users := v.InFlight
	if !v.Running {
		users = v.Live.Users // of the last window
	}
	return place{float64(users), p.Int(users), users > 0, false}
}

// wanted returns the place of what that slider asks for.
func (p *canvas) wanted(open bool) place {
	if open {
		return place{p.v.WantRate, p.plain(p.v.WantRate), true, true}
	}
	return place{float64(p.v.Want), p.Int(p.v.Want), true, true}
}

// drives reports which slider sets the load: that of the rate or that of the
// users. Without a load it is the slider in use; of an ended one that is set too,
// for the next load.
func (p *canvas) drives() (open bool) {
	if v := &p.now.view; v.Running || v.Sent > 0 {
		return v.Rate > 0
	}
	return p.v.Open
}

// inUse returns the place of the slider in use. A measured rate has two digits: the
// first step of the arrows leads there.
func (p *canvas) inUse() place {
	if !p.now.view.Running {
		return p.wanted(p.v.Open)
	}
	at := p.placeOf(p.v.Open)
	if !at.set && p.v.Open && at.known {
		if at.at = twoDigits(at.at); at.at < leastRate {
			at.at = math.Round(at.at*100) / 100
		}
		at.text, at.known = p.plain(at.at), at.at > 0
	}
	if !at.known {
		at.text = draw.Unknown
	}
	return at
}

// role is the role of a value in use: that of a figure is for a setting.
func (at *place) role() themes.Role {
	if at.set {
		return themes.Figure
	}
	return themes.Dim
}

// setting is what sets the load, in at most room columns: "8 users", "40 req/s".
func (p *canvas) setting(room int) string {
	at := p.placeOf(p.drives())
	if !p.drives() {
		text := p.Join(at.text, draw.Either(p.v.Want == 1, " user", " users"))
		return within(room, p.Join("at ", text), text)
	}
	return within(room, p.Join("at ", at.text, " req/s"), p.Join("at ", at.text, "/s"))
}

// row draws the slider in a row of r: its name and value from r.X on, its track
// from column x on, w columns wide, and where there is room what the value is,
// all dim.
func (s *otherSlider) row(p *canvas, r draw.Rect, x, w int) {
	l := p.Row(r, 0)
	at := p.placeOf(!p.v.Open)
	role := themes.Dim
	if at.set && p.now.view.Running {
		role = themes.Figure
	}
	l.Write(themes.Dim, draw.Either(p.v.Open, "users ", "req/s "))
	value := l
	value.End = x - 1 // a blank before the track, and one after the name
	value.X = max(x-2-draw.Width(at.text), min(l.X, value.End-draw.Width(at.text)))
	word := draw.Either(p.v.Open, "busy", "end")
	if at.set {
		word = draw.Either(p.now.view.Running, "set", "")
	}
	if draw.Width(word) < value.X-l.X {
		l.Write(themes.Dim, word)
	}
	value.Write(role, at.text)
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
	if at.known {
		p.Grid.Set(x+column(at.at), r.Y, p.Glyphs.Diamond, role)
	}
	switch l.X = x + w + 2; {
	case !p.now.view.Running:
	case at.set:
		l.Whole(themes.Dim, "sets the load")
	default:
		l.Whole(themes.Dim, draw.Either(p.v.Open, "requests under way", "requests a second that end"))
	}
}

// note is what is said of the other slider where it has no row: that it sets the
// load, how requests arrive, and in a closed loop how many a second end.
func (s *otherSlider) note(p *canvas, l line) {
	if p.now.view.Running && p.drives() != p.v.Open {
		l.Whole(themes.Figure, p.setting(l.Left()))
		return
	}
	if p.v.Open {
		l.Whole(themes.Dim, draw.Either(p.v.Poisson, "Poisson", "even"))
		return
	}
	if at := p.placeOf(true); at.known && !at.set {
		l.Whole(themes.Dim, p.Join(at.text, " req/s"))
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
