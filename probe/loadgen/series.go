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
	waits   []firstWait       // of the requests whose first chunk came lately, in about that order
	values  []float64         // scratch
}

// firstWait is the TTFT of one request, ms, and when its first chunk came.
type firstWait struct {
	at metrics.Stamp
	ms float64
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
		Arrived: int(sum.arrived), Ended: int(sum.done + sum.failed), TTFTs: s.quantiles(end)}
	if sum.sampled > 0 {
		e.Backlog, e.InFlight = sum.backlog/sum.sampled, (sum.decoding+sum.prefill+sum.waiting)/sum.sampled
	}
	if len(s.entries) >= 2*seriesKept {
		s.entries = slices.Clone(s.entries[len(s.entries)-seriesKept:])
	}
	s.entries = append(s.entries, e)
	s.at = end
}

// shown returns the history for a view, which must not change it.
func (s *series) shown() []loadstat.Sample { return s.entries[:len(s.entries):len(s.entries)] }

// answered counts the TTFT of a request, ms. Of more than recordsKept the oldest are
// dropped.
func (s *series) answered(at metrics.Stamp, ms float64) {
	if len(s.waits) >= 2*recordsKept {
		s.waits = append(s.waits[:0], s.waits[len(s.waits)-recordsKept:]...)
	}
	s.waits = append(s.waits, firstWait{at, ms})
}

// quantiles are those of the TTFTs of the requests whose first chunk came within the
// loadstat.WaitsWithin before end. A percentile without enough of them is
// unknown.
func (s *series) quantiles(end metrics.Stamp) [3]metrics.Value {
	begin := end - metrics.Stamp(loadstat.WaitsWithin)
	kept := s.waits[:0]
	s.values = s.values[:0]
	for _, w := range s.waits[max(len(s.waits)-recordsKept, 0):] {
		if w.at <= begin {
			continue
		}
		kept = append(kept, w)
		if w.at <= end {
			s.values = append(s.values, w.ms)
		}
	}
	s.waits = kept
	d := metrics.DistributionWhy(s.values, metrics.WhyNoFirstChunk)
	return [3]metrics.Value{d.P50, d.P95, d.P99}
}
