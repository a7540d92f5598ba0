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
	second  second
	waits   waits
}

// second gathers the figures of the next entry.
type second struct {
	at     metrics.Stamp
	ttft   []float64
	gaps   metrics.Sketch
	failed int
}

// firstChunk counts the TTFT of a request, ms.
func (s *second) firstChunk(ms float64) {
	if len(s.ttft) < recordsKept {
		s.ttft = append(s.ttft, ms)
	}
}

// advance appends the entry of the next second, once that has passed. users
// is the current number, rate that of scheduled arrivals, 0 in a closed loop.
func (s *series) advance(now metrics.Stamp, t *timeline, users int, rate float64) {
	c := &s.second
	end := c.at + metrics.Stamp(time.Second)
	if now < end+metrics.Stamp(settled) {
		return
	}
	sum := t.sum(t.index(c.at), t.index(end))
	e := loadstat.Sample{At: end, Users: users, Failed: c.failed,
		Total: max(sum.tokens, 0), Speed: pooled(&sum), Gap: c.gaps.Median(),
		Rate: rate, Arrived: sum.arrived, Ended: sum.done + sum.failed}
	if sum.sampled > 0 {
		e.Backlog, e.InFlight = sum.backlog/sum.sampled, (sum.decoding+sum.prefill+sum.waiting)/sum.sampled
	}
	e.TTFT = metrics.Median(c.ttft, metrics.WhyNoFirstChunk)
	e.TTFTs = s.waits.quantiles(end)
	if len(s.entries) >= 2*seriesKept {
		s.entries = slices.Clone(s.entries[len(s.entries)-seriesKept:])
	}
	s.entries = append(s.entries, e)
	c.at, c.ttft, c.failed = end, c.ttft[:0], 0
	c.gaps.Reset()
}

// shown returns the history for a view, which must not change it.
func (s *series) shown() []loadstat.Sample { return s.entries[:len(s.entries):len(s.entries)] }
