package loadgen

import (
	"slices"

	"tokscope/metrics"
)

// Journal begins the record of a load: v is its first view.
type Journal func(v *metrics.View) Entries

// Entries take down what becomes of a load. They are called from one goroutine,
// in the order in which things happened, and not while the load is measured:
// the requests themselves are never among them.
type Entries interface {
	// Point is called for each finished point of the path, as it stands there.
	Point(p *metrics.Point)
	// Objectives is called when others are set: points before are not told anew.
	Objectives(at metrics.Stamp, slos []metrics.Objective)
	// End is called once, last, with the final view.
	End(v *metrics.View)
}

// jot keeps an entry until nobody holds l.mu: l.mu is held.
func (j *Load) jot(entry func(Entries)) {
	if j.c.Journal != nil {
		j.jots = append(j.jots, entry)
	}
}

// jotPoint keeps a finished point for the journal: l.mu is held.
func (j *Load) jotPoint(p metrics.Point) {
	p.Misses, p.Faults = slices.Clone(p.Misses), slices.Clone(p.Faults)
	j.jot(func(e Entries) { e.Point(&p) })
}

// tell hands what was kept to the journal. The sampler calls it, without l.mu:
// a slow disk delays a look, never a stream.
func (j *Load) tell() {
	if j.c.Journal == nil {
		return
	}
	j.mu.Lock()
	pending := j.jots
	j.jots = nil
	j.mu.Unlock()
	if j.entries == nil {
		v := *j.view.Load()
		j.entries = j.c.Journal(&v)
	}
	for _, entry := range pending {
		entry(j.entries)
	}
}
