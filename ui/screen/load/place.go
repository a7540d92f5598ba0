package load

import (
	"math"

	"tokscope/themes"
	"tokscope/ui/draw"
)

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
	case open == p.now.open() || !v.Running && v.Sent == 0:
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
	at := p.placeOf(p.now.open())
	if !p.now.open() {
		text := p.Join(at.text, draw.Either(p.v.Want == 1, " user", " users"))
		return draw.FirstFit(room, p.Join("at ", text), text)
	}
	return draw.FirstFit(room, p.Join("at ", at.text, " req/s"), p.Join("at ", at.text, "/s"))
}

// other says what the slider that is not in use would be at: what sets the load, how
// many requests a second complete in a closed loop, or how many are under way in an open
// one.
func (p *canvas) other() string {
	at, runs := p.placeOf(!p.v.Open), p.now.view.Running
	switch {
	case at.set && !p.v.begun():
		return ""
	case at.set:
		return p.Join(draw.Either(runs, "the load is ", "the load was "), p.setting(20))
	case !at.known:
		at.text = draw.Unknown
	}
	if p.v.Open {
		return p.Join(at.text, draw.Either(runs, " requests under way", " users were busy"))
	}
	return p.Join("completed ", at.text, " req/s")
}

// note is the same in few words, and how requests of an open loop arrive.
func (p *canvas) note(l line) {
	if p.now.view.Running && p.now.open() != p.v.Open {
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
