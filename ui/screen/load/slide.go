package load

import (
	"tokscope/metrics/loadstat"
)

// slide moves the slider in use by a step; fine: by one user, or by one in the
// second digit of a rate.
func (s *Screen) slide(by int, fine bool) {
	to := s.view.asks()
	switch {
	case !s.view.Open && fine:
		to.Users += by
	case !s.view.Open:
		to.Users = int(userSteps.next(float64(to.Users), by))
	case fine:
		to.Rate = rateFine(to.Rate, by)
	default:
		to.Rate = rateSteps.next(to.Rate, by)
	}
	s.drive(to)
}

// slideTo moves the slider in use to column x.
func (s *Screen) slideTo(x int) {
	at, to := stepsOf(s.view.Open).at(s.pic.head.track, x), s.view.asks() // a drag may leave its row
	if s.view.Open {
		to.Rate = at
	} else {
		to.Users = int(at)
	}
	s.drive(to)
}

// drive makes d the load.
func (s *Screen) drive(d loadstat.Drive) {
	v, l, was := &s.view, &s.view.Load, s.view.asks()
	s.asked = loadstat.Question{}
	if !d.Open() {
		d.Users = min(max(d.Users, 1), MaxUsers)
	}
	s.adopt(d)
	same := v.Open && l.Drive == d || !v.Open && l.Target == d.Users && l.Rate <= 0 && !l.Drive.Ramps()
	if d == was && (!l.Running || same) {
		return
	}
	s.ramping = d.Ramps()
	if s.back.LoadDrive(d); l.Running {
		s.refresh()
	}
}

// adopt lets the slider of d come into use, with its chart where the other one's was
// shown.
func (s *Screen) adopt(d loadstat.Drive) {
	v := &s.view
	if v.Open = d.Open(); v.Open {
		v.WantRate, v.Poisson = d.Rate, d.Poisson
		if v.Kind == Curve {
			v.Kind = Rates
		}
		return
	}
	v.Want = d.Users
	if v.Kind == Rates || v.Kind == Queue {
		v.Kind = Curve
	}
}

// slideAlong moves the sliders with a load on a ramp; always: whatever it does.
func (s *Screen) slideAlong(always bool) {
	l := &s.view.Load
	if !l.Running || !always && !s.ramping {
		return
	}
	s.ramping = l.Drive.Ramps()
	switch {
	case l.Rate > 0:
		s.view.WantRate = l.Rate
	case l.Target > 0:
		s.view.Want = l.Target
	}
}
