package engine

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tokscope/probe/sim/physics"
)

// Options configures an engine.
type Options struct {
	Config
	Seed uint64 // decides which guesses are accepted
	// MaxQueue bounds the waiting requests; 0 means 10000.
	MaxQueue int
	// Link is the rate at which a disaggregated engine moves the cache between
	// its pools, in bytes per second. 0 means 50e9 (400 Gbit/s).
	Link float64
	// Slow, unless nil, returns by what the step that begins at that engine time
	// takes longer than it costs.
	Slow func(at float64) Slowness
	// OnStep, unless nil, is called at the end of every step, before its tokens
	// are emitted. The step is valid only during the call.
	OnStep func(*Step)
	// OnPlan, unless nil, is called when a planned step begins. Its End is in
	// the future. The step is valid only during the call.
	OnPlan func(*Step)
	// OnFail, unless nil, is called with a request that no longer fits after
	// Reconfigure. The engine has already removed it, and its Err gives the
	// reason. Advance may still return its tokens of the previous step.
	OnFail func(*Request)
}

// Errors of Submit.
var (
	ErrQueueFull = errors.New("the queue is full")
	ErrTooLong   = errors.New("the request does not fit the KV cache")
)

// Step describes one pass through the weights, for observers.
type Step struct {
	Number     uint64
	Start, End float64 // seconds of engine time
	Cost       physics.Cost
	Slowed     float64 // seconds that Options.Slow added to the cost
	Decodes    int     // sequences that decoded
	Prefills   int     // sequences that prefilled
	Prefilled  int     // prompt tokens computed
	Running    int     // sequences admitted
	Waiting    int     // requests in the queue
	Preempted  int     // requests preempted to make room
	Tokens     int     // tokens yielded
	KV         float64 // share of this pool's cache in use, 0 to 1
	Pool       string  // "", "prefill" or "decode" when disaggregated
	// Yield is what it yielded, once it has ended.
	Yield []Emission
	// The plan: setup, and the number of Reconfigure calls in force.
	Setup   *physics.Setup
	Changes uint64
}

// Emission is what one step yielded for one request. Step is valid until the
// next Advance.
type Emission struct {
	Request *Request
	N       int // tokens
	Step    *Step
}

// Stats holds the engine's state and counters since its start.
type Stats struct {
	Running, Waiting int     // admitted, also between pools; ready in the queue
	Queued           int     // waiting or in the front end
	KV               float64 // share of the cache in use, 0 to 1
	Steps            uint64
	Preempted        uint64
	PromptTokens     uint64
	CachedTokens     uint64
	Tokens           uint64
}

// Engine is a serving engine. It is not safe for concurrent use.
type Engine struct {
	o           Options
	queue       []*Request // waiting, ordered by Ready
	free        float64    // time at which the serial part of the front end is free
	lanes       []*lane
	moving      []*Request // between pools, ordered by arrival
	rng         *rand.Rand
	now         float64
	stats       Stats
	emitted     []Emission
	ids         uint64  // request ids assigned so far
	entries     uint64  // admissions so far
	next        *Config // pending configuration, nil if none
	requested   uint64  // calls of Reconfigure
	changes     uint64  // of these, adopted or superseded
	requeued    int     // requests requeued by them since the last planned step
	reported    *Step   // the step being reported to an observer, nil if none
	ending      bool    // the reported step has ended
	servedQueue bool    // the last Advance began a step that could admit requests
}

// New returns an engine at engine time 0.
func New(o Options) *Engine {
	o.MaxQueue = cmp.Or(o.MaxQueue, 10000)
	o.Link = cmp.Or(o.Link, 50e9)
	e := &Engine{o: o, rng: rand.New(rand.NewPCG(o.Seed, 0x9e3779b97f4a7c15))}
	e.limit(o.Config)
	e.build()
	return e
}

// MaxQueue returns how many requests may wait.
func (e *Engine) MaxQueue() int { return e.o.MaxQueue }

// Submit adds a request at engine time at, which must not be before the last
// Advance. The request passes the front end and then waits in the queue.
// Errors are ErrQueueFull, ErrTooLong, or that a length is below 1.
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
	r.Arrive, r.Ready, r.phase = at, e.free+max(0, s.Request-s.Serial), PhaseWaiting
	e.queue = append(e.queue, r)
	return nil
}

// Cancel removes a request in any phase and frees its cache at once.
func (e *Engine) Cancel(r *Request) {
	if r.Finished || r.Cancelled || r.Err != nil {
		return
	}
	r.Cancelled = true
	e.remove(r)
}

func (e *Engine) remove(r *Request) {
	e.unblock()
	switch r.phase {
	case PhaseWaiting:
		e.queue = without(e.queue, r)
	case PhaseMoving:
		e.moving = without(e.moving, r)
		e.lanes[0].kv.release(r)
	case PhasePrefill, PhasePadded:
		for _, l := range e.lanes {
			l.drop(r)
		}
	}
	r.phase = PhaseDone
}

func without(list []*Request, r *Request) []*Request {
	return slices.DeleteFunc(list, func(x *Request) bool { return x == r })
}

// guessesOf returns how many tokens a step of s may guess for a sequence.
func guessesOf(s *physics.Setup) int {
	if s.Draft != nil {
		return s.Draft.K
	}
	return 0
}

// Next returns the time of the next event: the end of a step, or a step that
// can begin. ok is false if the engine has nothing to do.
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

// Advance moves the clock to at, ends the steps due by then and begins new
// ones. It returns the tokens yielded, valid until the next Advance. Callers
// advance from one Next to the following one. An at before Next yields
// nothing.
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

// ServedQueue reports whether the last Advance began a step that could admit
// requests. A request that was ready and still waits then waits for longer
// than this step.
func (e *Engine) ServedQueue() bool { return e.servedQueue }

// Now returns the engine time in seconds.
func (e *Engine) Now() float64 { return e.now }

// Stats returns the current state and counters.
func (e *Engine) Stats() Stats {
	s := e.stats
	s.Waiting, s.Queued = e.waiting(), len(e.queue)
	s.Running = len(e.moving)
	for _, l := range e.lanes {
		s.Running += len(l.running)
		s.KV = max(s.KV, l.kv.share())
	}
	return s
}
