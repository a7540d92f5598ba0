package loadgen

import (
	"slices"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// series is the history of a load for the time chart, one entry per second.
// It has no lock: it belongs to the intake.
type series struct {
	entries []loadstat.Sample // only appended to: views share it
	at      metrics.Stamp     // when the second of the next entry begins
	waits   waits
}

// advance appends the entry of the next second, once that has passed. users
// is the current number, rate that of scheduled arrivals, 0 in a closed loop.
func (s *series) advance(now metrics.Stamp, t *timeline, users int, rate float64) {
	end := s.at + metrics.Stamp(time.Second)
	if now < end+metrics.Stamp(settled) {
		return
	}
	sum := t.sum(t.index(s.at), t.index(end))
	e := loadstat.Sample{At: end, Users: users, Total: max(sum.tokens, 0), Speed: pooled(&sum), Rate: rate,
		Arrived: sum.arrived, Ended: sum.done + sum.failed}
	if sum.sampled > 0 {
		e.Backlog, e.InFlight = sum.backlog/sum.sampled, (sum.decoding+sum.prefill+sum.waiting)/sum.sampled
	}
	e.TTFTs = s.waits.quantiles(end)
	if len(s.entries) >= 2*seriesKept {
		s.entries = slices.Clone(s.entries[len(s.entries)-seriesKept:])
	}
	s.entries = append(s.entries, e)
	s.at = end
}

// shown returns the history for a view, which must not change it.
func (s *series) shown() []loadstat.Sample { return s.entries[:len(s.entries):len(s.entries)] }
