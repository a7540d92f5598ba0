package loadgen

import (
	"slices"

	"tokscope/metrics"
)

// outcomes counts the results of ended requests. It has no lock: its owner is
// the load, under the load's mutex.
type outcomes struct {
	done, failed, cancelled int
	retried                 int                  // of all of them, those that were sent again
	faults                  []metrics.FaultCount // most frequent first
	finishes                map[string]int       // of done, by finish reason; nil before the first
	last                    *metrics.Fault       // of the last request that failed, nil without one
	model                   string               // that answered last, "" for unknown
	limits                  metrics.LimitWatch   // what the headers of all answers say
}

// results returns how many requests have ended well so far, how many failed, and an
// example of those, nil without one. It is kept when its user begins another request.
func (l *Load) results() (done int, faults []metrics.FaultCount, example *metrics.Fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.outcomes.done, slices.Clone(l.outcomes.faults), l.outcomes.last
}

// fail counts a failure.
func (o *outcomes) fail(f *metrics.Fault) {
	o.failed++
	o.faults = countFault(o.faults, f.Kind)
	o.last = f
}
