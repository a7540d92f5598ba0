package race

import (
	"context"
	"slices"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/racestat"
)

// warmUps is the number of requests at the beginning of a block that do not count: the
// first ones fill caches and compile what the next ones find.
const warmUps = 2

// restarter is the server of a race with a Swap.
type restarter interface {
	// restart returns once the server answers as the lane wants it; the fault says why it
	// does not. gone is called when the server that answered before is.
	restart(ctx context.Context, lane int, gone func()) *metrics.Fault
	// end ends what restart has left running.
	end()
}

// shown returns the Swap without keys.
func (r *Race) shown() *racestat.Swap {
	out := *r.c.Swap
	if r.c.Engine != nil {
		out.Command = shownWords(out.Command, r.c.Engine.Scrubber())
	}
	return &out
}

// drawn returns the lanes of all blocks in an order that is drawn.
func (r *Race) drawn() []int {
	order := make([]int, r.c.Swap.Blocks*len(r.c.Lanes))
	for i := range order {
		order[i] = i % len(r.c.Lanes)
	}
	r.rng.Shuffle(len(order), func(i, k int) { order[i], order[k] = order[k], order[i] })
	return order
}

// blocks plays all blocks.
func (r *Race) blocks(ctx context.Context) racestat.EndCode {
	defer r.c.server.end()
	for i, lane := range r.v.BlockOrder {
		if code := r.block(ctx, racestat.Block{N: i + 1, Lane: lane}); code != racestat.NotEnded {
			return code
		}
	}
	return racestat.EndBlocks
}

// block restarts the server and sends the requests of a block. One that was cut is no
// block, but keeps what it has.
func (r *Race) block(ctx context.Context, b racestat.Block) racestat.EndCode {
	if code := r.wait(ctx); code != racestat.NotEnded {
		return code
	}
	b.Began = r.at()
	r.show(b, racestat.Starting)
	fault := r.c.server.restart(ctx, b.Lane, func() { r.show(b, racestat.Waiting) })
	switch {
	case ctx.Err() != nil:
		if v := r.View(); v.Leaving() {
			b.Fault = &metrics.Fault{Kind: metrics.FaultCancelled, Next: "let the command end it, or end it by hand",
				Message: "the old server at " + v.Lanes[b.Lane].Endpoint.URL + " had not ended"}
			r.show(b, racestat.NoStep)
		}
		return cut(ctx)
	case fault != nil:
		b.Fault = fault
		r.show(b, racestat.NoStep)
		return racestat.EndRestart
	}
	b.Ready = r.at()
	r.show(b, racestat.WarmingUp)
	work, results := make([]metrics.Workload, len(r.c.Lanes)), make([]racestat.Result, len(r.c.Lanes))
	for i := range warmUps + r.c.Swap.Requests {
		if i == warmUps {
			b.First = r.at()
			r.show(b, racestat.Measuring)
		}
		work[b.Lane] = r.workOf(b.Lane)
		if code := r.requests(ctx, []int{b.Lane}, work, results, i >= warmUps); code != racestat.NotEnded {
			return code
		}
		if i >= warmUps {
			b.Results = append(slices.Clip(b.Results), results[b.Lane])
			r.show(b, racestat.Measuring)
		}
	}
	b.Last = r.at()
	b.Sum()
	blocks := append(slices.Clip(r.v.Blocks), b)
	r.keep(r.c.Swap.Verdicts(blocks, len(r.c.Lanes), r.c.Band, false), func(v *racestat.View) {
		v.Blocks, v.Block, v.Step = blocks, racestat.Block{}, racestat.NoStep
		v.Lanes[b.Lane].Counted += len(b.Results)
		v.Lanes[b.Lane].Lost += b.Failed
		v.Phases = make([]racestat.Phase, len(v.Lanes))
	})
	return racestat.NotEnded
}

// at returns the time since the race began.
func (r *Race) at() time.Duration { return time.Duration(r.c.now() - r.v.Began) }

// show makes b the present block.
func (r *Race) show(b racestat.Block, step racestat.Step) {
	r.mu.Lock()
	r.v.Block, r.v.Step = b, step
	r.version++
	r.mu.Unlock()
	r.c.Notify()
}
