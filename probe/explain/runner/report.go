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
	steps    int
	senders  atomic.Pointer[map[string]int] // the user of each known HTTP request
}

// forgetEvery is the number of steps between two removals of withdrawn
// requests.
const forgetEvery = 512

// add books one report.
func (p *reports) add(r *sim.StepReport) {
	defer p.version.Add(1)
	p.presence.add(r)
	batch, more := rows(r.Batch, *p.senders.Load())
	if r.Begun {
		p.rec.Begin(r.Step, batch, more)
		return
	}
	p.rec.Record(r.Step, batch, more)
	if p.steps++; p.steps%forgetEvery == 0 {
		here := make(map[uint64]bool, len(r.Batch))
		for i := range r.Batch {
			here[r.Batch[i].Request.ID] = true
		}
		p.rec.Keep(here)
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
