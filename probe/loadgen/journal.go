package loadgen

import (
	"slices"
	"sync"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
)

// Journal begins the record of a load: v is its first view.
type Journal func(v *loadstat.View) Entries

// Entries record the progress of a load. One goroutine calls them, in order
// of occurrence. The requests themselves are not among them: see
// Config.Record.
type Entries interface {
	// Point is called for each finished point of the path.
	Point(p *loadstat.Point)
	// Objectives is called when the objectives change; earlier points are not
	// repeated.
	Objectives(at metrics.Stamp, slos []slo.Objective)
	// Mark is called when a person changes what the load sends, its objectives,
	// users, rate or ramp, in the order of the changes. A drag of the slider is one
	// mark, once the slider rests.
	Mark(m *loadstat.Mark)
	// End is called once, last, with the final view.
	End(v *loadstat.View)
}

// journal queues entries until the sampler writes them. The load's mutex
// guards pending; entries belongs to the sampler.
type journal struct {
	start   Journal // nil: no record
	pending []func(Entries)
	entries Entries // nil before the first write
}

// add queues an entry.
func (j *journal) add(entry func(Entries)) {
	if j.start != nil {
		j.pending = append(j.pending, entry)
	}
}

// point queues a finished point.
func (j *journal) point(p loadstat.Point) {
	p.Misses, p.Faults = slices.Clone(p.Misses), slices.Clone(p.Faults)
	j.add(func(e Entries) { e.Point(&p) })
}

// write passes the queued entries to the journal; first returns the view for
// its beginning. The sampler calls it without holding mu, the load's mutex.
func (j *journal) write(mu *sync.Mutex, first func() *loadstat.View) {
	if j.start == nil {
		return
	}
	mu.Lock()
	pending := j.pending
	j.pending = nil
	mu.Unlock()
	if j.entries == nil {
		v := *first()
		j.entries = j.start(&v)
	}
	for _, entry := range pending {
		entry(j.entries)
	}
}
