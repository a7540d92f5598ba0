package live

import (
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/verdict"
	"tokscope/ui/screen"
)

// sample takes a look at the source's stream of that version. The stream is taken
// as often as this is called; figures and observer change once in screen.FiguresEvery, and
// at once when the state changes or force asks for it. A frozen view keeps what it
// has, except for the runs that ended behind it.
func (s *Screen) sample(now metrics.Stamp, force bool, version uint64) (dirty, figures bool) {
	changed := version != s.version
	s.version = version
	v, clock := &s.view, s.from.recorded()
	if !changed && !force && s.phase.Ended() {
		if !clock {
			v.Now = now // fades continue
		}
		return false, false
	}
	st := s.from.stream()
	before := s.phase
	s.phase = st.State
	dirty = s.phase != before || force
	session := s.from.session()
	if v.Frozen {
		v.Runs, v.RunsLeftOut = session.Runs(), session.RunsLeftOut()
		return dirty, false
	}
	fresh := force || s.phase != before || st.ID != v.Stream.ID || st.Usual != v.Stream.Usual
	if v.Stream, v.Now = st, now; clock {
		v.Now = st.Now
	}
	if fresh || now-s.figures >= screen.FiguresEvery {
		s.figures = now
		v.Runs, v.RunsLeftOut = session.Runs(), session.RunsLeftOut()
		v.Observer, v.Endpoint = session.Observer(), session.Endpoint()
		s.measure()
		figures = true
	} else if ticking(v.Findings) {
		s.conclude()
	}
	return dirty || changed, figures
}

// refresh samples at once.
func (s *Screen) refresh() { s.Sample(s.from.session().Now(), true) }

// ticking reports whether findings hold a running clock. It must agree with
// the clock of the figures in every frame.
func ticking(found []verdict.Finding) bool {
	return slices.ContainsFunc(found, func(f verdict.Finding) bool {
		switch f.Code {
		case verdict.Asking, verdict.Connecting, verdict.Waiting, verdict.Silent:
			return true
		}
		return false
	})
}

func (s *Screen) measure() {
	s.view.Figures = s.meter.Measure(&s.view.Stream, metrics.Options{Pace: s.look.Pace})
	s.view.Limits = s.limits.forecast(&s.view)
	s.conclude()
}

// conclude says anew what the figures show, through the chosen lens.
func (s *Screen) conclude() {
	s.view.Look = *s.look
	s.view.Findings = conclude(&s.view)
}

// limits follows the rate limits over the answers of the session: each ended run
// once, and the present answer.
type limits struct {
	watch metrics.LimitWatch
	last  int // the largest ID of the counted runs; a session drops its first runs
}

// forecast counts what is new in v and returns what the answers of the shown
// endpoint and model tell. Of a recording it counts the shown request alone: the
// others may be later ones.
func (s *limits) forecast(v *View) metrics.LimitForecasts {
	newest := 0
	for i := range v.Runs {
		newest = max(newest, v.Runs[i].Stream.ID)
	}
	if newest < s.last || v.File != "" {
		*s = limits{}
	}
	if v.File == "" {
		for i := range v.Runs {
			if st := &v.Runs[i].Stream; st.ID > s.last {
				s.watch.Add(st)
			}
		}
		s.last = newest
	}
	s.watch.Add(&v.Stream)
	if !s.watch.Of(&v.Stream.Endpoint) {
		return new(metrics.LimitWatch).Forecast(v.Now)
	}
	return s.watch.Forecast(v.Now)
}
