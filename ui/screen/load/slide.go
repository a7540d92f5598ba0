package load

import "tokscope/metrics/loadstat"

// slide moves the slider in use by a step; fine: by one user, or by one in the
// second digit of a rate. A slider that comes into use begins at what the load
// does: as many users as are under way, or as many requests a second as end.
func (s *Screen) slide(by int, fine bool) {
	l := &s.view.Load
	switch {
	case !s.view.Open && l.Running && l.Rate > 0:
		s.resize(max(l.InFlight, 1))
	case !s.view.Open && fine:
		s.resize(s.view.Want + by)
	case !s.view.Open:
		s.resize(int(userSteps.next(float64(s.view.Want), by)))
	case l.Running && l.Rate <= 0:
		s.setRate(s.endRate())
	case fine:
		s.setRate(RateFine(s.view.WantRate, by))
	default:
		s.setRate(rateSteps.next(s.view.WantRate, by))
	}
}

// endRate is the rate at which requests of a closed loop end, to two digits; the
// slider's own while it is unknown.
func (s *Screen) endRate() float64 {
	v := s.view.Load.Live.Rate
	if !v.OK || !(v.V > 0) {
		return s.view.WantRate
	}
	return tidy(twoDigits(v.V))
}

// rate is an open loop of that rate.
func (s *Screen) rate(rate float64) loadstat.Drive {
	return loadstat.Drive{Rate: rate, Poisson: s.view.Poisson}
}

// setRate moves the rate's slider.
func (s *Screen) setRate(rate float64) {
	l := &s.view.Load
	if rate == s.view.WantRate && (!l.Running || l.Drive == s.rate(rate)) {
		return
	}
	s.drive(s.rate(rate))
}

// drive makes d the load. The slider of its kind comes into use, with its chart
// where the other one's was shown.
func (s *Screen) drive(d loadstat.Drive) {
	v := &s.view
	if l := &v.Load; !d.Open() && !d.Ramps() && (!l.Running || l.Rate <= 0) &&
		!l.Drive.Ramps() && v.Kind != Rates && v.Kind != Queue {
		v.Open = false
		s.resize(d.Users)
		return
	}
	s.asked = loadstat.Question{}
	if v.Open = d.Open(); v.Open {
		v.WantRate, v.Poisson = d.Rate, d.Poisson
		if v.Kind == Curve {
			v.Kind = Rates
		}
	} else {
		v.Want = min(max(d.Users, 1), MaxUsers)
		if v.Kind == Rates || v.Kind == Queue {
			v.Kind = Curve
		}
	}
	s.ramping = d.Ramps()
	if s.back.LoadDrive(d); v.Load.Running {
		s.refresh()
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

// slideTo moves the slider in use to column x.
func (s *Screen) slideTo(x int) {
	at := stepsOf(s.view.Open).at(s.pic.head.track, x) // a drag may leave its row
	if s.view.Open {
		s.setRate(at)
		return
	}
	s.resize(int(at))
}
