package loadgen

import (
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// outcomes counts the results of ended requests. It has no lock: its owner is
// the load, under the load's mutex.
type outcomes struct {
	done, failed, cancelled int
	retried, heard          int                  // of all of them, those that were sent again, and that had a byte
	faults                  []metrics.FaultCount // most frequent first
	finishes                map[string]int       // of done, by finish reason; nil before the first
	last                    *metrics.Fault       // of the last request that failed, nil without one
	model                   string               // that answered last, "" for unknown
	limits                  metrics.LimitWatch   // what the headers of all answers say
	lengths                 loadstat.Lengths     // asked and counted
}

// results returns the outcomes so far.
func (l *Load) results() outcomes {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.outcomes
	o.faults = slices.Clone(o.faults)
	return o
}

// fail counts a failure.
func (o *outcomes) fail(f *metrics.Fault) {
	o.failed++
	o.faults = metrics.AddFaults(o.faults, f.Count())
	o.last = f
}
