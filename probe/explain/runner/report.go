package runner

import (
	"sync/atomic"

	"tokscope/metrics/serving"
	"tokscope/probe/explain"
	"tokscope/probe/sim"
)

// reports receives the engine's reports, on the engine's goroutine, and
// passes them to a recorder.
type reports struct {
	rec      *explain.Recorder
	version  *atomic.Uint64
	presence presence
	produced map[uint64]int // tokens of each request so far
	yield    []explain.Yield
	steps    int
	senders  atomic.Pointer[map[string]int] // the user of each known HTTP request
}

func newReports(r *explain.Recorder, version *atomic.Uint64) *reports {
	p := &reports{rec: r, version: version, produced: map[uint64]int{}}
	p.senders.Store(&map[string]int{})
	return p
}

// forgetEvery is the number of steps between two removals of withdrawn
// requests.
const forgetEvery = 512

// add books one report.
func (p *reports) add(r *sim.StepReport) {
	batch, more := rows(r.Batch, *p.senders.Load())
	if r.Begun {
		p.presence.add(r, 0)
		p.rec.Begin(r.Step.Setup, r.Step, batch, more)
		p.version.Add(1)
		return
	}
	p.yield = p.yield[:0]
	for i := range r.Batch {
		q := r.Batch[i].Request
		before, known := p.produced[q.ID]
		if !known && q.Produced > 0 && q.First < r.Step.End {
			before = q.Produced // it ran before the reports began
			if q.Last == r.Step.End {
				before--
			}
		}
		if n := q.Produced - before; n > 0 {
			p.yield = append(p.yield, explain.YieldOf(q.ID, q, n))
		}
		p.produced[q.ID] = q.Produced
		if q.Finished {
			delete(p.produced, q.ID)
		}
	}
	p.presence.add(r, len(p.yield))
	p.rec.Record(explain.Report{Setup: r.Step.Setup, Step: r.Step, Yield: p.yield, Batch: batch, More: more})
	if p.steps++; p.steps%forgetEvery == 0 {
		p.forget(r.Batch)
	}
	p.version.Add(1)
}

// forget removes withdrawn requests: they are no longer in the batch.
func (p *reports) forget(batch []sim.SteeredRequest) {
	here := make(map[uint64]bool, len(batch))
	for i := range batch {
		here[batch[i].Request.ID] = true
	}
	for id := range p.produced {
		if !here[id] {
			delete(p.produced, id)
			p.rec.Forget(id)
		}
	}
}

// rows returns a batch for the screen: at most serving.MaxBatchRows requests,
// and the number of further ones. senders are the users by HTTP request.
func rows(batch []sim.SteeredRequest, senders map[string]int) (out []serving.EngineRequest, more int) {
	n := min(len(batch), serving.MaxBatchRows)
	out = make([]serving.EngineRequest, n)
	for i := range out {
		out[i] = explain.RowOf(&batch[i].RequestState, senders[batch[i].RequestID])
	}
	return out, len(batch) - n
}
