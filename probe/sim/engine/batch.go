package engine

import "slices"

// Phase is the state of a request.
type Phase uint8

const (
	PhaseArriving  Phase = iota // in the front end
	PhaseWaiting                // in the queue
	PhasePrefill                // its prompt, or what a preemption dropped, is being computed
	PhaseDecode                 // it yields tokens
	PhaseMoving                 // its cache moves between the pools
	PhasePreempted              // preempted, in the queue again
	PhasePadded                 // finished, but its slot in a static batch is held
	PhaseDone                   // its last token was yielded in this step
)

// RequestState is the state of a request between two steps.
type RequestState struct {
	Request  *Request // the engine's; read it only during the call
	Phase    Phase
	Computed int // tokens of prompt and output that are in the cache
	Blocks   int // blocks of the cache held, shared ones included
	// Scheduled is the number of its tokens in the step, guesses included.
	// Within OnStep and OnPlan it refers to the reported step, elsewhere to the
	// current one.
	Scheduled int
}

// Batch appends the state of every request to dst. First come the admitted
// ones in the order of admission, then those between the pools, then the
// queue. Within OnStep it also holds, in place, requests whose last token was
// yielded in that step. It allocates nothing if dst has room.
func (e *Engine) Batch(dst []RequestState) []RequestState {
	from := len(dst)
	for _, l := range e.lanes {
		for _, r := range l.running {
			dst = append(dst, e.state(r))
		}
	}
	if e.ending {
		for _, y := range e.reported.Yield {
			if y.Request.phase == PhaseDone {
				dst = append(dst, e.state(y.Request))
			}
		}
	}
	// Nearly sorted already: each lane is in order, and few requests end in a
	// step.
	slices.SortStableFunc(dst[from:], func(a, b RequestState) int { return byAdmission(a.Request, b.Request) })
	for _, r := range e.moving {
		dst = append(dst, e.state(r))
	}
	for _, r := range e.queue {
		dst = append(dst, e.state(r))
	}
	return dst
}

func (e *Engine) state(r *Request) RequestState {
	s := RequestState{Request: r, Phase: r.phase, Computed: r.computed, Blocks: r.blocks}
	switch {
	case r.phase == PhaseWaiting && r.order > 0:
		s.Phase = PhasePreempted
	case r.phase == PhaseWaiting && r.Ready > e.now:
		s.Phase = PhaseArriving
	case r.phase == PhasePadded && e.ending && r.Last == e.reported.End:
		s.Phase = PhaseDone
	case r.phase == PhasePrefill && r.decoding():
		s.Phase = PhaseDecode
	}
	switch {
	case e.reported == nil:
		s.Scheduled = r.scheduled
	case r.ranIn == e.reported.Number:
		s.Scheduled = r.ran
	}
	return s
}

// report calls an observer with a step. During the call, Batch describes that
// step.
func (e *Engine) report(f func(*Step), s *Step, ending bool) {
	if f == nil {
		return
	}
	e.reported, e.ending = s, ending
	f(s)
	e.reported, e.ending = nil, false
}
