package engine

import (
	"math"
	"slices"

	"tokscope/probe/sim/physics"
)

// planner fills the next step of lane l of engine e. Its methods named after a
// mode plan the whole step.
type planner struct {
	e *Engine
	l *lane
}

// plan fills the step as the engine's mode wants it.
func (p planner) plan() {
	switch p.e.o.Mode {
	case Static:
		p.planStatic()
	case PrefillFirst:
		p.planPrefillFirst()
	case Disaggregated:
		p.planPool()
	default:
		p.planContinuous()
	}
}

// planContinuous is vLLM V1's scheduler, with one token budget per step.
// Running requests come first, in order: a decode uses 1 token and its
// guesses, a partial prompt the rest of the budget. Then the queue is
// admitted, first come first served, unless the step preempted a request.
func (p planner) planContinuous() {
	p.admit(p.proceed(p.e.o.Budget, true))
}

// proceed schedules the running requests in order, up to MaxSeqs, or of these those that
// do not decode yet. It returns the rest of the budget.
func (p planner) proceed(budget int, decodes bool) (rest int) {
	l := p.l
	for i := 0; i < min(len(l.running), p.e.o.MaxSeqs) && budget > 0; i++ {
		if r := l.running[i]; decodes || !r.decoding() {
			n, _ := p.schedule(r, budget) // none if it was preempted itself: it was the last one
			budget -= n
		}
	}
	return budget
}

// schedule adds r to the step with at most budget tokens. It preempts the
// last running requests until there is room. ok is false if r itself was
// preempted.
func (p planner) schedule(r *Request, budget int) (n int, ok bool) {
	e, l := p.e, p.l
	rest := r.length() - r.computed
	guesses := 0
	if r.decoding() {
		guesses = min(guessesOf(e.o.Setup), r.Output-r.Produced-1, budget-1)
		n = 1 + max(0, guesses)
	} else {
		n = min(rest, budget)
	}
	for !l.kv.grow(r, r.computed+n) {
		last := l.running[len(l.running)-1]
		p.preempt(last)
		if last == r {
			return 0, false
		}
	}
	r.guesses = max(0, guesses)
	if r.decoding() {
		p.decode(r, n)
	} else {
		p.prefill(r, n, rest)
	}
	return n, true
}

// assign records n tokens of r in the step that l plans.
func (r *Request) assign(l *lane, n int) { r.scheduled, r.ran, r.ranIn = n, n, l.step.Number }

// decode adds n tokens of r to the step, those after the first guessed.
func (p planner) decode(r *Request, n int) {
	l, ctx := p.l, r.length()
	r.assign(l, n)
	l.load.Seqs++
	l.load.Ctx += int64(ctx)
	l.load.WinCtx += int64(min(ctx, p.e.o.Setup.Model.Reach()))
}

// preempt frees the cache of r and moves r to the head of the queue. What others
// take of it meanwhile will be recomputed.
func (p planner) preempt(r *Request) {
	e, l := p.e, p.l
	if !r.Uncached && r.phase != PhasePadded {
		l.kv.keep(r)
	}
	l.drop(r)
	l.preempted = true
	r.scheduled, r.ran, r.guesses = 0, 0, 0
	if r.phase == PhasePadded { // finished in a static batch: nothing to recompute
		r.phase = PhaseDone
		return
	}
	r.computed, r.handed = 0, false
	r.phase = PhaseWaiting
	r.Preempted++
	l.step.Preempted++
	e.stats.Preempted++
	e.queue = slices.Insert(e.queue, 0, r)
}

// admit moves requests from the queue into the step, within budget, MaxSeqs and the
// cache, unless the step preempted a request: that must not return at once. It would be
// prefilled and preempted again without end, while decodes stall.
func (p planner) admit(budget int) {
	e, l, seqs := p.e, p.l, p.e.o.MaxSeqs
	if l.preempted || budget <= 0 || len(l.running) >= seqs || len(e.queue) == 0 || e.queue[0].Ready > l.planned {
		return
	}
	promised := p.promised()
	for budget > 0 && len(l.running) < seqs && len(e.queue) > 0 {
		r := e.queue[0]
		if r.Ready > l.planned {
			return
		}
		hit := l.kv.attach(r)
		rest := r.length() - hit
		n := min(rest, budget)
		if n < rest && e.o.Setup.Stack.Whole && len(l.load.Chunks) > 0 {
			l.kv.release(r)
			return // its turn is the next step
		}
		if l.kv.used+promised+p.due(r) > l.kv.total || !l.kv.grow(r, hit+n) {
			l.kv.release(r)
			return
		}
		promised += p.due(r)
		p.enter(r, hit)
		p.prefill(r, n, rest)
		budget -= n
	}
}

// enter admits r, the first of the queue, of which hit tokens are in the cache.
func (p planner) enter(r *Request, hit int) {
	e := p.e
	e.queue[0] = nil
	e.queue = e.queue[1:]
	r.computed, r.phase = hit, PhasePrefill
	if r.order == 0 {
		r.Admitted, r.Cached = e.now, hit
		e.stats.PromptTokens += uint64(r.Prompt)
		e.stats.CachedTokens += uint64(hit)
	}
	e.entries++
	r.order = e.entries
	p.l.running = append(p.l.running, r)
}

// prefill adds n of the rest tokens of the prompt of r to the step.
func (p planner) prefill(r *Request, n, rest int) {
	r.assign(p.l, n)
	p.l.load.Chunks = append(p.l.load.Chunks, physics.Chunk{New: n, Cached: r.computed, Last: n == rest})
}

// due returns the blocks that r still gets before it can be preempted for them: those
// of its prompt, or of all that the software reserves.
func (p planner) due(r *Request) int {
	most := r.length()
	if p.e.o.Setup.Stack.Reserves && p.l.decode {
		most = r.Prompt + r.Output + guessesOf(p.e.o.Setup)
	}
	return max(0, p.e.o.Setup.Blocks(most)-r.blocks)
}

// promised returns the blocks that the running requests still get.
func (p planner) promised() (n int) {
	for _, r := range p.l.running {
		n += p.due(r)
	}
	return n
}

// planPrefillFirst fills the step with whole prompts while requests wait, and
// the decodes stall. Otherwise all running requests decode.
func (p planner) planPrefillFirst() {
	p.admit(p.proceed(p.e.o.Budget, false))
	if len(p.l.load.Chunks) == 0 {
		p.proceed(math.MaxInt32, true)
	}
}

// planStatic admits a batch only when the previous one has ended. A finished
// sequence keeps its slot, at full cost, until the longest one ends (finish).
func (p planner) planStatic() {
	e, l := p.e, p.l
	if len(l.running) == 0 {
		// Reserve room for every whole sequence: a static batch is never
		// preempted.
		p.admitWhole()
		return
	}
	budget := e.o.Budget
	for i := 0; i < len(l.running); i++ { // a batch of another mode may be preempted
		switch r := l.running[i]; {
		case r.phase == PhasePadded:
			p.decode(r, 1)
		case budget > 0:
			if n, ok := p.schedule(r, budget); ok {
				budget -= n
			}
		}
	}
}

func (p planner) admitWhole() {
	e, l := p.e, p.l
	budget := e.o.Budget
	for len(l.running) < e.o.MaxSeqs && len(e.queue) > 0 && e.queue[0].Ready <= e.now {
		r := e.queue[0]
		if !l.kv.grow(r, r.Prompt+r.Output+guessesOf(e.o.Setup)) {
			return
		}
		p.enter(r, 0)
		rest := r.length() // more than the prompt after a preemption
		if n := min(rest, budget); n > 0 {
			budget -= n
			p.prefill(r, n, rest)
		}
	}
}
