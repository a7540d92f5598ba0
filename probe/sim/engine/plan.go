package engine

import (
	"math"

	"tokscope/probe/sim/physics"
)

// planContinuous is vLLM V1's scheduler: one token budget a step; first the
// running requests in order (a decode takes 1 token and its guesses, a partial
// prompt what is left of the budget), then the queue, first come first served,
// but not in a step that threw somebody out.
func (p *Engine) planContinuous(l *lane) {
	if budget := p.proceed(l); !l.preempted {
		p.admit(l, budget, p.o.MaxSeqs)
	}
}

// proceed schedules the running requests in order, as many as may be in a step,
// and returns what is left of the budget.
func (e *Engine) proceed(l *lane) (budget int) {
	budget = e.o.Budget
	for i := 0; i < min(len(l.running), e.o.MaxSeqs) && budget > 0; i++ {
		n, ok := e.schedule(l, l.running[i], budget)
		if !ok {
			break // it was thrown out itself: nobody is left behind it
		}
		budget -= n
	}
	return budget
}

// schedule puts r into the step with at most budget tokens, throwing out the
// last of the running ones while there is no room. ok is false when r itself
// had to go.
func (e *Engine) schedule(l *lane, r *Request, budget int) (n int, ok bool) {
	rest := r.length() - r.computed
	guesses := 0
	if rest == 1 && r.Produced > 0 {
		guesses = min(e.guesses(), r.Output-r.Produced-1, budget-1)
		n = 1 + max(0, guesses)
	} else {
		n = min(rest, budget)
	}
	for !l.kv.grow(r, r.computed+n) {
		last := l.running[len(l.running)-1]
		e.preempt(l, last)
		if last == r {
			return 0, false
		}
	}
	r.guesses = max(0, guesses)
	r.assign(l, n, rest > 1 || r.Produced == 0)
	if !r.chunk {
		l.decodeLoad(r, e.o.Setup.Model.Window)
	} else {
		l.load.Chunks = append(l.load.Chunks, physics.Chunk{New: n, Cached: r.computed, Last: n == rest})
	}
	return n, true
}

// assign records n tokens of r in the step that l plans.
func (r *Request) assign(l *lane, n int, chunk bool) {
	r.scheduled, r.ran, r.ranIn, r.chunk = n, n, l.step.Number, chunk
}

func (l *lane) decodeLoad(r *Request, window int) {
	ctx := r.length()
	l.load.Seqs++
	l.load.Ctx += int64(ctx)
	l.load.WinCtx += int64(min(ctx, window))
}

// preempt drops the cache of r, which goes back to the head of the queue and
// will compute prompt and output so far again.
func (e *Engine) preempt(l *lane, r *Request) {
	l.drop(r)
	l.preempted = true
	r.scheduled, r.ran, r.guesses = 0, 0, 0
	if r.phase == padded { // of a static batch: nothing to compute again
		r.phase = gone
		return
	}
	r.computed = 0
	r.phase = waiting
	r.Preempted++
	l.step.Preempted++
	e.stats.Preempted++
	e.queue = append(e.queue, nil)
	copy(e.queue[1:], e.queue)
	e.queue[0] = r
}

// admit takes requests from the queue while the budget, the sequences and the
// cache last.
func (e *Engine) admit(l *lane, budget, seqs int) {
	for budget > 0 && len(l.running) < seqs && len(e.queue) > 0 {
		r := e.queue[0]
		if r.Ready > e.now {
			return
		}
		hit := l.kv.attach(r)
		rest := r.length() - hit
		n := min(rest, budget)
		if !l.kv.grow(r, hit+n) {
			l.kv.release(r)
			return
		}
		e.queue[0] = nil
		e.queue = e.queue[1:]
		r.computed, r.phase = hit, running
		r.assign(l, n, true)
		if r.order == 0 {
			r.Admitted = e.now
			r.Cached = hit
			e.stats.PromptTokens += uint64(r.Prompt)
			e.stats.CachedTokens += uint64(hit)
		}
		e.entries++
		r.order = e.entries
		l.running = append(l.running, r)
		l.load.Chunks = append(l.load.Chunks, physics.Chunk{New: n, Cached: hit, Last: n == rest})
		budget -= n
	}
}

// planPrefillFirst: as long as somebody waits, whole prompts fill the step and
// the decodes stall; else everybody decodes.
func (e *Engine) planPrefillFirst(l *lane) {
	budget := e.o.Budget
	for i := 0; i < min(len(l.running), e.o.MaxSeqs) && budget > 0; i++ {
		if r := l.running[i]; !r.decoding() {
			if n, ok := e.schedule(l, r, budget); ok {
				budget -= n
			}
		}
	}
	// Who was thrown out for want of room must not come back at once: it would
	// be prefilled and thrown out for ever, with the decodes stalled meanwhile.
	if !l.preempted {
		e.admit(l, budget, e.o.MaxSeqs)
	}
	if len(l.load.Chunks) > 0 {
		return
	}
	for i := 0; i < min(len(l.running), e.o.MaxSeqs); i++ {
		if _, ok := e.schedule(l, l.running[i], math.MaxInt32); !ok {
			break
		}
	}
}

// planStatic: a batch is taken from the queue only when the one before it is
// gone; a finished sequence keeps its slot, and costs, until the longest ends.
func (e *Engine) planStatic(l *lane) {
	if len(l.running) == 0 {
		// Room for the whole of every sequence is set aside: a static batch is
		// never thrown out.
		e.admitWhole(l)
		return
	}
	budget := e.o.Budget
	for i := 0; i < len(l.running); i++ { // a batch of another mode may be thrown out
		switch r := l.running[i]; {
		case r.phase == padded:
			r.assign(l, 1, false)
			l.decodeLoad(r, e.o.Setup.Model.Window)
		case budget > 0:
			if n, ok := e.schedule(l, r, budget); ok {
				budget -= n
			}
		}
	}
}

func (e *Engine) admitWhole(l *lane) {
	budget := e.o.Budget
	for len(l.running) < e.o.MaxSeqs && len(e.queue) > 0 && e.queue[0].Ready <= e.now {
		r := e.queue[0]
		if !l.kv.grow(r, r.Prompt+r.Output+e.guesses()) {
			return
		}
		e.queue[0] = nil
		e.queue = e.queue[1:]
		r.phase = running
		if r.order == 0 {
			r.Admitted = e.now
			e.stats.PromptTokens += uint64(r.Prompt)
		}
		e.entries++
		r.order = e.entries
		l.running = append(l.running, r)
		rest := r.length() // not only the prompt when it was thrown out before
		if n := min(rest, budget); n > 0 {
			budget -= n
			r.assign(l, n, true)
			l.load.Chunks = append(l.load.Chunks, physics.Chunk{New: n, Last: n == rest})
		}
	}
}

// clearStatic ends the batch once every sequence of it is finished.
func (e *Engine) clearStatic(l *lane) {
	for _, r := range l.running {
		if r.phase != padded {
			return
		}
	}
	for len(l.running) > 0 {
		r := l.running[len(l.running)-1]
		l.drop(r)
		r.phase = gone
	}
}
