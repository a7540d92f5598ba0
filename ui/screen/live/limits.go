package live

import "tokscope/metrics"

// limits follows the rate limits over the answers of the session: each ended run
// once, and the present answer.
type limits struct {
	watch   metrics.LimitWatch
	counted int // runs
}

// forecast counts what is new in v and returns what the answers of the shown
// endpoint and model tell. Of a recording it counts the shown request alone: the
// others may be later ones.
func (s *limits) forecast(v *View) metrics.LimitForecasts {
	if s.counted > len(v.Runs) || v.File != "" {
		*s = limits{}
	}
	if v.File == "" {
		for i := s.counted; i < len(v.Runs); i++ {
			s.watch.Add(&v.Runs[i].Stream)
		}
		s.counted = len(v.Runs)
	}
	s.watch.Add(&v.Stream)
	if !s.watch.Of(&v.Stream.Endpoint) {
		var none metrics.LimitWatch
		return none.Forecast(v.Now)
	}
	return s.watch.Forecast(v.Now)
}
