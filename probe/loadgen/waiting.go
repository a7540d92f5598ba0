package loadgen

import (
	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// fromSchedule fills the lower bounds of p.FromIntended, by the requests of the
// window and those of this rate that are due or under way: sent in the warm-up too,
// for they would be in no figure while they wait. The bounds are as of the end of
// p, or of the moment at which all chunks are counted. A load that ends, and one on
// hold, keeps those that it had last.
func (w *window) fromSchedule(p *loadstat.Point, at phase) {
	if w.rate <= 0 {
		return
	}
	if at.ending || at.idle || at.holding {
		p.FromIntendedAtLeast = w.atLeast
		return
	}
	running, lasting := at.unended(w.began, min(p.To, at.now-metrics.Stamp(settled)))
	w.atLeast = metrics.AtLeastOf(column(w.records, loadstat.RowFromSchedule), running, lasting)
	p.FromIntendedAtLeast = w.atLeast
}

// unended returns the waits as of now, ms, of what an open loop has due and not ended, of the
// present work and sent since began: those that are over with a first chunk, and those that last.
// There are none while its schedule stands still.
func (l *Load) unended(began, now metrics.Stamp) (running, lasting []float64) {
	p := &l.pool
	if !p.open() || p.paused() || p.ending {
		return nil, nil
	}
	lasts := func(intended metrics.Stamp) {
		if intended < now {
			lasting = append(lasting, float64(now-intended)/1e6)
		}
	}
	for _, u := range p.users {
		first := u.lane.first
		switch {
		case !u.busy || u.epoch != l.epoch || !u.intended.Known() || u.sent.Known() && u.sent < began:
		case first.Known() && first < now:
			running = append(running, float64(first-u.intended)/1e6)
		default:
			lasts(u.intended)
		}
	}
	for _, intended := range p.arrivals.queue {
		lasts(intended)
	}
	return running, lasting
}
