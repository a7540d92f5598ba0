package sim

import "tokscope/probe/sim/engine"

// phaseTimes splits a request's duration, in seconds of wall time. It
// includes slow motion and pauses.
type phaseTimes struct {
	front, queue, prefill, decode float64
}

// ttft returns the time from arrival to the first token.
func (t *phaseTimes) ttft() float64 { return t.front + t.queue + t.prefill }

// tpot returns the mean time per token after the first, 0 with fewer than
// two.
func (t *phaseTimes) tpot(r *engine.Request) float64 {
	if r.Produced < 2 {
		return 0
	}
	return t.decode / float64(r.Produced-1)
}

func phaseTimesOf(c *clock, r *engine.Request) *phaseTimes {
	return &phaseTimes{c.span(r.Arrive, r.Ready), c.span(r.Ready, r.Admitted),
		c.span(r.Admitted, r.First), c.span(r.First, r.Last)}
}
