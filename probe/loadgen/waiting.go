package loadgen

import (
	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// waiting is what an open loop has due and not ended. Its slices are those of the
// pool: read only, under the load's mutex.
type waiting struct {
	unsent []metrics.Stamp // scheduled times of requests that wait for a free user
	sent   []sentWait      // requests under way
}

// sentWait is a request of the present work that is under way.
type sentWait struct {
	sent     metrics.Stamp // NoStamp while it is starting
	intended metrics.Stamp
	first    metrics.Stamp // its first chunk; NoStamp before it
}

// waits returns what is due and not ended. epoch is that of the present work.
func (p *pool) waits(epoch int) (w waiting) {
	a := &p.arrivals
	if !p.open() || p.paused() || p.ending {
		return w
	}
	w.unsent = a.queue
	for _, u := range p.users {
		if u.busy && u.epoch == epoch && u.intended.Known() {
			w.sent = append(w.sent, sentWait{u.sent, u.intended, u.lane.first})
		}
	}
	return w
}

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
	running, lasting := w.unended(at, min(p.To, at.now-metrics.Stamp(settled)))
	w.atLeast = metrics.AtLeastOf(column(w.records, loadstat.RowFromSchedule), running, lasting)
	p.FromIntendedAtLeast = w.atLeast
}

// unended returns the waits as of now, ms, of what an open loop has due and not ended:
// those that are over with a first chunk, and those that last.
func (w *window) unended(at phase, now metrics.Stamp) (running, lasting []float64) {
	lasts := func(intended metrics.Stamp) {
		if intended < now {
			lasting = append(lasting, float64(now-intended)/1e6)
		}
	}
	for _, s := range at.waits.sent {
		switch {
		case s.sent.Known() && s.sent < w.began:
		case s.first.Known() && s.first < now:
			running = append(running, float64(s.first-s.intended)/1e6)
		default:
			lasts(s.intended)
		}
	}
	for _, intended := range at.waits.unsent {
		lasts(intended)
	}
	return running, lasting
}
