package live

import "tokscope/metrics"

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
