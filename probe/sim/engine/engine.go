package engine

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"tokscope/probe/sim/physics"
)

// Options choose an engine.
type Options struct {
	Setup *physics.Setup
	Mode  Mode
	Seed  uint64 // of the acceptance of guesses
	// Budget and MaxSeqs override the stack's limits of a step; 0 keeps them.
	Budget, MaxSeqs int
	// MaxQueue bounds the requests that wait; 0 means 10000.
	MaxQueue int
	// Link is how fast a disaggregated engine moves the cache between its
	// pools, bytes per second; 0 means 50e9 (400 Gbit/s).
	Link float64
	// OnStep, when set, is called at the end of every step, before its tokens
	// are emitted. The step is valid during the call only.
	OnStep func(*Step)
	// OnPlan, when set, is called when a step has been planned and begins: its
	// End is when it will end. It is valid during the call only.
	OnPlan func(*Step)
	// OnFail, when set, is called with a request that can no longer be served
	// since Reconfigure: the engine has let go of it, and its Err says why. What
	// the step before yielded for it may still be among what Advance returns.
	OnFail func(*Request)
}

// Errors of Submit.
var (
	ErrQueueFull = errors.New("the queue is full")
	ErrTooLong   = errors.New("the request does not fit the KV cache")
)

// Step is one pass through the weights, for those who want to look.
type Step struct {
	Number     uint64
	Start, End float64 // seconds of the engine's clock
	Cost       physics.Cost
	Decodes    int     // sequences that decoded
	Prefills   int     // sequences that prefilled
	Prefilled  int     // prompt tokens computed
	Context    int     // tokens of context read by the decodes
	Running    int     // sequences admitted
	Waiting    int     // requests in the queue
	Preempted  int     // requests thrown out to make room
	Tokens     int     // tokens yielded
	KV         float64 // share of the cache that is held, of this pool
	Pool       string  // "", "prefill" or "decode" when disaggregated
	// How it was planned: the setup, the tokens that it may hold at most, and
	// how many calls of Reconfigure were in force.
	Setup   *physics.Setup
	Budget  int
	Changes uint64
}

// Emission is what one step yielded for one request. Step is valid until the
// next Advance.
type Emission struct {
	Request *Request
	N       int // tokens
	Step    *Step
}

// Stats counts what has happened so far.
type Stats struct {
	Running, Waiting int     // admitted, on the way between pools included; in the queue
	Queued           int     // waiting, or still in the front end
	KV               float64 // share of the cache that is held
	Steps            uint64
	Preempted        uint64
	PromptTokens     uint64
	CachedTokens     uint64
	Tokens           uint64
	Busy             float64 // seconds in steps
}

// Engine is one serving engine. Its methods are for one goroutine.
type Engine struct {
	o           Options
	queue       []*Request // waiting, in order of Ready
	free        float64    // when the serial part of the front end is free
	lanes       []*lane
	moving      []*Request // between pools, by the time they arrive
	rng         *rand.Rand
	now         float64
	stats       Stats
	emitted     []Emission
	ids         uint64  // given to requests so far
	entries     uint64  // admissions so far
	next        *Config // asked for and not yet adopted
	requested   uint64  // calls of Reconfigure
	changes     uint64  // of these, adopted or overtaken
	requeued    int     // requests thrown out by them since the last step was planned
	reported    *Step   // the step of which an observer is being told
	ending      bool    // … and that it has ended
	servedQueue bool    // the last Advance began a step that could take from the queue
}

// New makes an engine whose clock stands at 0.
func New(o Options) *Engine {
	if o.MaxQueue == 0 {
		o.MaxQueue = 10000
	}
	if o.Link == 0 {
		o.Link = 50e9
	}
	e := &Engine{o: o, rng: rand.New(rand.NewPCG(o.Seed, 0x9e3779b97f4a7c15))}
	e.limit(Config{o.Setup, o.Mode, o.Budget, o.MaxSeqs})
	e.build()
	return e
}

// Setup is what the engine works with now.
func (e *Engine) Setup() *physics.Setup { return e.o.Setup }

// MaxQueue is how many requests may wait.
func (e *Engine) MaxQueue() int { return e.o.MaxQueue }

// Submit hands in a request at time at, which is not before the last Advance.
// The front end takes its time; then the request stands in the queue.
func (e *Engine) Submit(at float64, r *Request) error {
	if r.Prompt < 1 || r.Output < 1 {
		return fmt.Errorf("a request of %d prompt and %d output tokens", r.Prompt, r.Output)
	}
	if err := e.fits(r); err != nil {
		return err
	}
	if len(e.queue) >= e.o.MaxQueue {
		return ErrQueueFull
	}
	s := &e.o.Setup.Stack
	e.ids++
	r.ID = e.ids
	e.free = max(e.free, at) + s.Serial
	r.Arrive, r.Ready, r.phase = at, e.free+max(0, s.Request-s.Serial), waiting
	e.queue = append(e.queue, r)
	return nil
}

// Cancel takes a request out, wherever it stands. Its room is free at once.
func (e *Engine) Cancel(r *Request) {
	if r.Finished || r.Cancelled || r.Err != nil {
		return
	}
	r.Cancelled = true
	e.remove(r)
}

func (e *Engine) remove(r *Request) {
	switch r.phase {
	case waiting:
		e.queue = without(e.queue, r)
	case moving:
		e.moving = without(e.moving, r)
	case running, padded:
		for _, l := range e.lanes {
			l.drop(r)
		}
	}
	r.phase = gone
}

func without(list []*Request, r *Request) []*Request {
	for i, x := range list {
		if x == r {
			copy(list[i:], list[i+1:])
			list[len(list)-1] = nil
			return list[:len(list)-1]
		}
	}
	return list
}

func (e *Engine) guesses() int {
	if s := e.o.Setup.Draft; s != nil {
		return s.K
	}
	return 0
}

// Next is when something happens next: a step ends, or one can begin. ok is
// false when the engine is empty.
func (e *Engine) Next() (at float64, ok bool) {
	at = math.Inf(1)
	for _, l := range e.lanes {
		if l.busy {
			at = min(at, l.step.End)
		} else if t, can := e.ready(l); can && e.next == nil {
			at = min(at, max(t, e.now))
		}
	}
	return at, !math.IsInf(at, 1)
}

// Advance moves the clock to at, ends the steps that end there and begins
// those that can. It returns what was yielded, valid until the next Advance.
// The caller goes from one Next to the next; at may lie before it, then
// nothing is yielded.
func (e *Engine) Advance(at float64) []Emission {
	e.emitted, e.servedQueue = e.emitted[:0], false
	e.now = max(e.now, at)
	for _, l := range e.lanes {
		if l.busy && l.step.End <= e.now {
			e.finish(l)
		}
	}
	e.adoptPending()
	for _, l := range e.lanes {
		if l.busy || e.next != nil {
			continue
		}
		if t, can := e.ready(l); can && t <= e.now {
			e.begin(l)
		}
	}
	return e.emitted
}

// Took reports whether the last Advance began a step that could take requests
// from the queue: who was ready then and still stands there waits for longer
// than this step.
func (e *Engine) ServedQueue() bool { return e.servedQueue }

// Now is the engine's clock.
func (e *Engine) Now() float64 { return e.now }

// Stats reports the state and the counters.
func (e *Engine) Stats() Stats {
	s := e.stats
	s.Waiting, s.Queued = 0, len(e.queue)
	s.Running = len(e.moving)
	for _, r := range e.queue {
		if r.Ready <= e.now {
			s.Waiting++
		}
	}
	for _, l := range e.lanes {
		s.Running += len(l.running)
		s.KV = max(s.KV, l.kv.share())
	}
	return s
}
