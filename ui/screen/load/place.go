package load

import (
	"math"

	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// place is where the handle of a slider stands, and the text of that value. A
// set one is what was asked for; others are measured, and known may be false.
type place struct {
	at         float64
	text       string
	known, set bool
}

// placeOf returns the place of the slider of the rate or of the users: what was asked
// for, or what is measured of the loop that the other one sets.
func (p *canvas) placeOf(open bool) (at place) {
	v := &p.now.view
	switch {
	case open == p.now.open() || !v.Running && v.Sent == 0:
		return p.wanted(open)
	case open:
		at = place{at: v.Live.Rate.V, text: p.NumberOf(v.Live.Rate), known: v.Live.Rate.OK && v.Live.Rate.V > 0}
	default:
		users := format.Either(v.Running, v.InFlight, v.Live.Users) // of an ended load in its last window
		at = place{at: float64(users), text: p.Int(users), known: users > 0}
	}
	if !at.known {
		at.text = draw.Unknown
	}
	return at
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
		if at.at = format.Digits(at.at, 2); at.at < leastRate {
			at.at = math.Round(at.at*100) / 100
		}
		at.known = at.at > 0
		at.text = format.Either(at.known, p.plain(at.at), draw.Unknown)
	}
	return at
}

// role is the role of a value in use: that of a figure is for a setting.
func (at *place) role() themes.Role { return format.Either(at.set, themes.Figure, themes.Dim) }

// setting is what sets the load, in at most room columns: "8 users", "40 req/s".
func (p *canvas) setting(room int) string {
	at := p.placeOf(p.now.open())
	if !p.now.open() {
		text := p.Join(at.text, format.Either(p.v.Want == 1, " user", " users"))
		return draw.FirstFit(room, p.Join("at ", text), text)
	}
	return draw.FirstFit(room, p.Join("at ", at.text, " req/s"), p.Join("at ", at.text, "/s"))
}

// other writes the number of the slider that is not in use: what sets the load, how
// many requests a second complete in a closed loop, or how many are under way in an
// open one. brief leaves that to how its requests arrive.
func (p *canvas) other(l line, brief bool) {
	at, runs := p.placeOf(!p.v.Open), p.now.view.Running
	switch {
	case at.set && p.v.begun():
		l.Fit(part(format.Either(runs, "the load is ", "the load was "), 1),
			draw.Part{Role: themes.Figure, Text: p.setting(l.Left())})
	case p.v.Open && brief:
		l.Whole(themes.Dim, format.Either(p.v.Poisson, "Poisson", "even"))
	case at.set: // before any load
	case p.v.Open:
		l.Whole(themes.Dim, p.Join(at.text, format.Either(runs, " requests under way", " users were busy")))
	default:
		l.Fit(part("completed ", 1), part(p.Join(at.text, " req/s"), 0))
	}
}
