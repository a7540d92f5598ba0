package engine

import (
	"cmp"
	"fmt"
	"slices"

	"tokscope/probe/sim/physics"
)

// Config is the part of Options that can change while the engine works.
type Config struct {
	Setup *physics.Setup
	Mode  Mode
	// Budget and MaxSeqs limit a step; 0 uses the setup's limits.
	Budget, MaxSeqs int
}

// Reconfigure changes how the engine works from its next step on. A current
// step keeps its cost and ends as planned. In a disaggregated engine, a pool
// that ends its step first waits for the other pool if the change affects
// both.
//
// A change of model, precision, device, group or software invalidates every
// cache. Admitted requests then return to the head of the queue in the order
// of admission. They are recomputed and count as preempted. All other changes
// keep the caches that still fit. Two changes move requests:
//   - One engine becomes two pools: it continues as the prefill pool, and decoding
//     requests move to the other pool over the link.
//   - Two pools become one engine: it continues as the decode pool. Requests that
//     were being prefilled or moved return to the queue.
//
// Fewer sequences per step preempt nobody: the requests admitted last keep
// their cache and pause. A current static batch ends with all its sequences.
// A request that no longer fits at all fails (Options.OnFail).
func (e *Engine) Reconfigure(c Config) {
	e.requested++
	e.next = &c
	e.adoptPending()
}

// adoptPending adopts the pending configuration, unless a current step
// prevents it.
func (e *Engine) adoptPending() {
	c := e.next
	if c == nil || e.underWay() && !e.independent(c) {
		return
	}
	e.next, e.changes = nil, e.requested
	e.adopt(*c)
}

func (e *Engine) underWay() bool {
	return slices.ContainsFunc(e.lanes, func(l *lane) bool { return l.busy })
}

// independent reports whether c keeps everything that a current step in one
// of two pools depends on. The change then need not wait for that step.
func (e *Engine) independent(c *Config) bool {
	return len(e.lanes) == 2 && c.Mode == Disaggregated &&
		c.Setup.Capacity == e.o.Setup.Capacity && c.Setup.SameCache(e.o.Setup)
}

func (e *Engine) adopt(c Config) {
	same := c.Setup.SameCache(e.o.Setup)
	e.limit(c)
	e.unblock()
	if !same || c.Mode != Static {
		for _, l := range e.lanes {
			l.clearPadded()
		}
	}
	two := c.Mode == Disaggregated
	switch {
	case !same:
		out := append(e.admitted(), e.moving...)
		clear(e.moving)
		e.moving = e.moving[:0]
		e.build()
		e.requeue(out)
	case two && len(e.lanes) == 1:
		e.splitPools()
	case !two && len(e.lanes) == 2:
		e.joinPools()
	default:
		var out []*Request
		for _, l := range e.lanes {
			out = append(out, l.resize(e.o.Setup)...)
		}
		for p := e.lanes[0].kv; p.used > p.total && len(e.moving) > 0; {
			r := e.moving[len(e.moving)-1]
			e.moving = without(e.moving, r)
			p.release(r)
			out = append(out, r)
		}
		e.requeue(out)
	}
	e.refuse()
}

// limit adopts the setup, the mode and the limits of a step.
func (e *Engine) limit(c Config) {
	c.Budget, c.MaxSeqs = cmp.Or(c.Budget, c.Setup.Budget), cmp.Or(c.MaxSeqs, c.Setup.MaxSeqs)
	if c.Mode == None {
		c.MaxSeqs = 1
	}
	e.o.Config = c
}

// build creates the lanes, with empty caches.
func (e *Engine) build() {
	s := e.o.Setup
	if e.o.Mode == Disaggregated {
		e.lanes = []*lane{{name: "prefill", prefill: true, kv: newPool(s)}, {name: "decode", decode: true, kv: newPool(s)}}
		return
	}
	e.lanes = []*lane{{prefill: true, decode: true, kv: newPool(s)}}
}

// admitted returns the running requests in the order of admission.
func (e *Engine) admitted() []*Request {
	var all []*Request
	for _, l := range e.lanes {
		all = append(all, l.running...)
	}
	slices.SortStableFunc(all, byAdmission)
	return all
}

func byAdmission(a, b *Request) int { return cmp.Compare(a.order, b.order) }

// requeue moves requests that hold no cache any more to the head of the
// queue.
func (e *Engine) requeue(out []*Request) {
	slices.SortStableFunc(out, byAdmission)
	for _, r := range out {
		r.computed, r.blocks, r.shared, r.scheduled, r.ran, r.guesses = 0, 0, 0, 0, 0, 0
		r.phase, r.handed = PhaseWaiting, false
		r.Preempted++
	}
	e.requeued += len(out)
	e.stats.Preempted += uint64(len(out))
	e.queue = append(out, e.queue...)
}

// resize adjusts the pool of l to the capacity of a setup. It returns the
// requests that had to leave it, the last admitted first.
func (l *lane) resize(s *physics.Setup) (out []*Request) {
	l.kv.setup, l.kv.total = s, s.Capacity/physics.Block
	for l.kv.used > l.kv.total && len(l.running) > 0 {
		r := l.running[len(l.running)-1]
		l.drop(r)
		if r.phase == PhasePadded {
			r.phase = PhaseDone
			continue
		}
		out = append(out, r)
	}
	l.kv.evict()
	return out
}

// splitPools turns one engine into two pools.
func (e *Engine) splitPools() {
	was := e.lanes[0]
	e.build()
	l := e.lanes[0]
	l.kv, l.running = was.kv, was.running
	e.requeue(l.resize(e.o.Setup))
	for _, r := range slices.Clone(l.running) {
		if r.decoding() {
			e.move(l, r, e.now)
		}
	}
}

// joinPools turns two pools into one engine.
func (e *Engine) joinPools() {
	out := append(slices.Clone(e.lanes[0].running), e.moving...)
	stays := e.lanes[1]
	clear(e.moving)
	e.moving = e.moving[:0]
	e.build()
	l := e.lanes[0]
	l.kv, l.running = stays.kv, stays.running
	e.requeue(append(out, l.resize(e.o.Setup)...))
}

// clearPadded frees the slots of finished sequences.
func (l *lane) clearPadded() {
	for i := len(l.running) - 1; i >= 0; i-- {
		if r := l.running[i]; r.phase == PhasePadded {
			l.drop(r)
			r.phase = PhaseDone
		}
	}
}

// fits returns why a request can never be served, or nil. A pending change
// counts as made.
func (e *Engine) fits(r *Request) error {
	s := e.o.Setup
	if e.next != nil {
		s = e.next.Setup
	}
	if s.Blocks(r.Prompt+r.Output+guessesOf(s)) > s.Capacity/physics.Block {
		return fmt.Errorf("%w: %d + %d tokens, room for %d", ErrTooLong, r.Prompt, r.Output, s.Longest())
	}
	return nil
}

// refuse fails every request that no longer fits.
func (e *Engine) refuse() {
	all := append(append(e.admitted(), e.moving...), e.queue...)
	for _, r := range all {
		if r.Finished {
			continue
		}
		if err := e.fits(r); err != nil {
			e.remove(r)
			r.Err = err
			if e.o.OnFail != nil {
				e.o.OnFail(r)
			}
		}
	}
}
