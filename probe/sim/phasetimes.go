package sim

import "tokscope/probe/sim/engine"

// took is how long the parts of a request's life took on the wall, in seconds,
// slow motion and pauses included.
type phaseTimes struct {
	front, queue, prefill, decode float64
}

// ttft is from arrival to the first token.
func (t *phaseTimes) ttft() float64 { return t.front + t.queue + t.prefill }

// tpot is the mean time per token after the first; 0 with fewer than two.
func (t *phaseTimes) tpot(r *engine.Request) float64 {
	if r.Produced < 2 {
		return 0
	}
	return t.decode / float64(r.Produced-1)
}

func phaseTimesOf(c *clock, r *engine.Request) *phaseTimes {
	return &phaseTimes{c.span(r.Arrive, r.Ready), c.span(r.Ready, r.Admitted), c.span(r.Admitted, r.First), c.span(r.First, r.Last)}
}
