package load

import (
	"tokscope/themes"
	"tokscope/ui/format"
)

// wanted is where the handle of the slider in use stands, and the text of that value.
func (p *canvas) wanted() (at float64, text string) {
	if p.v.Open {
		return p.v.WantRate, p.plain(p.v.WantRate)
	}
	return float64(p.v.Want), p.Int(p.v.Want)
}

// other writes what the other slider would be at: how many requests a second complete in
// a closed loop, or how many are under way in an open one. brief leaves that to how its
// requests arrive.
func (p *canvas) other(l line, brief bool) {
	v := &p.now.view
	switch {
	case p.v.Open && brief:
		l.Whole(themes.Dim, format.Either(p.v.Poisson, "Poisson", "even"))
	case !p.v.begun():
	case p.v.Open:
		l.Whole(themes.Dim, p.Join(p.Count(v.InFlight), " requests under way"))
	default:
		l.Fit(part("completed ", 1), part(p.Join(p.NumberOf(v.Live.Rate), " req/s"), 0))
	}
}
