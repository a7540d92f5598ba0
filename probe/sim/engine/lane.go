package engine

import (
	"math"
	"slices"

	"tokscope/metrics/pick"
	"tokscope/probe/sim/physics"
)

// lane is a group of devices that executes one step at a time: the whole
// engine, or one of the two pools of a disaggregated engine.
type lane struct {
	name            string
	prefill, decode bool
	kv              *pool
	running         []*Request // in order of admission
	load            physics.Load
	step            Step
	ended           Step // the last ended step; emissions point at it
	busy            bool
	planned         float64        // when the step was planned: whoever is ready later waits for the next
	preempted       bool           // the step being planned preempted a request
	blocked         bool           // its last plan was empty; nothing has freed room since
	draft           *physics.Draft // of the current step
}

func (l *lane) drop(r *Request) {
	n := len(l.running)
	l.running = without(l.running, r)
	if len(l.running) < n {
		l.kv.release(r)
	}
}

// ready returns the time from which lane l has work. ok is false if it has
// none.
func (e *Engine) ready(l *lane) (at float64, ok bool) {
	at = math.Inf(1)
	if l.blocked {
		return at, false
	}
	if len(l.running) > 0 {
		at = e.now
	}
	if l.prefill && len(e.queue) > 0 {
		at = min(at, e.queue[0].Ready)
	}
	if l.decode && !l.prefill && len(e.moving) > 0 {
		at = min(at, e.moving[0].arrival)
	}
	return at, !math.IsInf(at, 1)
}

// begin plans the next step of l and starts it, if there is work.
func (e *Engine) begin(l *lane) {
	l.load = physics.Load{Chunks: l.load.Chunks[:0]}
	l.preempted = false
	l.planned = e.now
	if e.o.Setup.Stack.Async && len(l.running) > 0 {
		l.planned = l.ended.Start
	}
	l.draft = e.o.Setup.Draft
	l.step = Step{Number: e.stats.Steps, Start: e.now, Pool: l.name, Setup: e.o.Setup, Changes: e.changes}
	planner{e, l}.plan()
	if l.load.Seqs == 0 && len(l.load.Chunks) == 0 {
		// The requests on their way to the other pool hold all room.
		l.blocked = len(e.moving) > 0 && len(e.queue) > 0 && e.queue[0].Ready <= e.now
		return
	}
	e.unblock()
	l.busy = true
	e.servedQueue = e.servedQueue || l.prefill
	s := &l.step
	s.Cost = e.o.Setup.Step(&l.load)
	s.Slowed = e.slowed(l)
	s.End = s.Start + s.Cost.Seconds() + s.Slowed
	s.Preempted += e.requeued
	e.requeued = 0
	s.Decodes, s.Prefills, s.Prefilled = l.load.Seqs, len(l.load.Chunks), l.load.Prefilled()
	e.stats.Steps++
	if e.o.OnPlan != nil {
		s.Running, s.Waiting, s.KV = len(l.running), e.waiting(), l.kv.share()
		e.report(e.o.OnPlan, s, false)
	}
}

// unblock lets every lane plan again.
func (e *Engine) unblock() {
	for _, l := range e.lanes {
		l.blocked = false
	}
}

// waiting returns the number of ready requests in the queue.
func (e *Engine) waiting() int {
	return pick.Count(e.queue, func(r **Request) bool { return (*r).Ready <= e.now })
}

// finish applies the step that has just ended.
func (e *Engine) finish(l *lane) {
	l.busy = false
	l.ended = l.step
	s, from := &l.ended, len(e.emitted)
	for i := 0; i < len(l.running); i++ {
		r := l.running[i]
		if r.scheduled == 0 {
			continue
		}
		n := r.scheduled
		r.scheduled = 0
		if r.phase == PhasePadded {
			continue
		}
		if r.Produced == 0 {
			r.Prefill += s.End - s.Start
		}
		got := e.apply(l, r, n)
		if got > 0 {
			s.Tokens += got
			e.emitted = append(e.emitted, Emission{Request: r, N: got, Step: s})
		}
		if r.phase == PhaseDone || r.phase == PhaseMoving {
			i--
		}
	}
	s.Yield = e.emitted[from:]
	e.stats.Tokens += uint64(s.Tokens)
	s.Running, s.Waiting, s.KV = len(l.running), e.waiting(), l.kv.share()
	e.report(e.o.OnStep, s, true)
	unpadded := func(r *Request) bool { return r.phase != PhasePadded }
	if e.o.Mode == Static && !slices.ContainsFunc(l.running, unpadded) {
		l.clearPadded() // not earlier: the slots were part of this step
	}
}

// apply records n scheduled tokens of r as computed and returns the number of
// tokens yielded.
func (e *Engine) apply(l *lane, r *Request, n int) int {
	got := 0
	if r.guesses > 0 {
		d, ok := l.draft, 0
		for ok < r.guesses && e.rng.Float64() < d.At(ok) {
			ok++
		}
		r.Guessed += r.guesses
		got = min(1+ok, r.Output-r.Produced)
		r.computed += got
		r.guesses = 0
	} else if r.computed += n; r.computed == r.length() {
		got = 1
	}
	l.kv.publish(r)
	if !l.decode && r.computed == r.length() {
		e.move(l, r, l.ended.End)
		return 0
	}
	if got == 0 {
		return 0
	}
	if r.Produced == 0 {
		r.First = l.ended.End
	}
	r.Produced += got
	r.Last = l.ended.End
	r.Steps++
	if r.Produced >= r.Output {
		r.Finished, r.phase = true, PhasePadded
		if e.o.Mode != Static {
			l.drop(r)
			r.phase = PhaseDone
		}
	}
	return got
}

// Slowness is by what a step takes longer: factors of the part of its cost that
// its prompts add, and of what its decodes alone cost. 1 changes nothing.
type Slowness struct{ Prefill, Decode float64 }

// slowed returns how many seconds Options.Slow adds to the step that l begins.
func (e *Engine) slowed(l *lane) float64 {
	if e.o.Slow == nil {
		return 0
	}
	f := e.o.Slow(l.step.Start)
	if f.Prefill == 1 && f.Decode == 1 {
		return 0
	}
	whole, decodes := l.step.Cost.Seconds(), 0.0
	switch {
	case len(l.load.Chunks) == 0:
		decodes = whole
	case l.load.Seqs > 0:
		alone := physics.Load{Seqs: l.load.Seqs, Ctx: l.load.Ctx, WinCtx: l.load.WinCtx}
		cost := e.o.Setup.Step(&alone)
		decodes = min(cost.Seconds(), whole)
	}
	return (f.Prefill-1)*(whole-decodes) + (f.Decode-1)*decodes
}
