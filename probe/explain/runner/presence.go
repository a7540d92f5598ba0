package runner

import (
	"sync"

	"tokscope/probe/sim"
	"tokscope/probe/sim/engine"
)

// presence sums up for how long requests are in the engine. The engine's
// goroutine adds to it; another one looks.
type presence struct {
	mu sync.Mutex
	seen
}

// seen is what a presence has counted.
type seen struct {
	at     float64 // engine time of the latest report
	area   float64 // requests times seconds of engine time
	chunks int
}

// add counts the requests of a report until its moment, each from its arrival.
func (p *presence) add(r *sim.StepReport) {
	at := r.Step.End
	if r.Begun {
		at = r.Step.Start
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.chunks += len(r.Step.Yield) // none of a step that begins
	if at <= p.at {
		return // of the other pool
	}
	for i := range r.Batch {
		b := &r.Batch[i]
		if b.Phase == engine.PhasePadded && b.Request.Last < at {
			continue // only its slot is still held
		}
		p.area += max(at-max(b.Request.Arrive, p.at), 0)
	}
	p.at = at
}

func (p *presence) look() seen {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen
}
