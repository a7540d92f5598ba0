package engine

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"tokscope/probe/sim/physics"
)

// Workload is who asks for what, in virtual time. Exactly one of Users, Rate
// and Burst is set.
type Workload struct {
	Prompt, Output int // tokens of a request
	// Users is a closed loop: each of them asks again as soon as it is answered.
	Users int
	// Apart is how many seconds after each other they start; 0 spreads them over
	// AnswerTime. Users that start together stay in lock-step and wait for each
	// other's prompts.
	Apart float64
	// LockStep starts the users of a closed loop together, whatever Apart is.
	LockStep bool
	Rate     float64 // open loop: requests per second, at random moments
	Burst    bool    // all at once
	// Requests is how many are sent. A closed loop sends one for each user at
	// least, and never ends by itself when Requests is 0.
	Requests int
	// Shared tokens at the start of every prompt are the same in each of them.
	Shared int
	// Uncached prompts find nothing of their own after a preemption.
	Uncached bool
	// Vary draws the lengths from a log-normal distribution with Prompt and
	// Output as means and this deviation of the logarithm; 0: all are equal.
	Vary float64
	Seed uint64
}

// Player sends a workload to a fresh engine in virtual time. Request.User is
// the number of the user of a closed loop, from 1, else 0. Equal players give
// equal results. Started, Yield and Enough may be nil.
type Player struct {
	Options  Options
	Workload Workload
	// Started is called with the engine before the first request. Options.OnStep
	// and the functions below may read it.
	Started func(*Engine)
	// Yield is called with what a step yielded for a request, after
	// Options.OnStep of that step. The emission is valid during the call only.
	Yield func(Emission)
	// Enough is asked after every advance of the clock; true ends the play.
	Enough func() bool
}

// ctxEvery is after how many advances of the clock Play looks at its context.
const ctxEvery = 64

// Play runs until Enough says so, or until every request has ended. It returns
// the counters of the engine. The error is that of ctx, or wraps that of a
// request which the engine refused.
func (p *Player) Play(ctx context.Context) (Stats, error) {
	e := New(p.Options)
	s := newSender(e, &p.Workload)
	if p.Started != nil {
		p.Started(e)
	}
	for n := 0; ; n++ {
		if n%ctxEvery == 0 && ctx.Err() != nil {
			return e.Stats(), ctx.Err()
		}
		at, busy := e.Next()
		for len(s.due) > 0 && (!busy || s.due[0].at <= at) {
			if err := s.send(e); err != nil {
				return e.Stats(), err
			}
			at, busy = e.Next()
		}
		if !busy {
			return e.Stats(), nil
		}
		for _, y := range e.Advance(at) {
			if p.Yield != nil {
				p.Yield(y)
			}
			if y.Request.Finished {
				s.answered(y.Request, at)
			}
		}
		if p.Enough != nil && p.Enough() {
			return e.Stats(), nil
		}
	}
}

// sender knows when the next request of a workload is due.
type sender struct {
	w    *Workload
	rng  *rand.Rand
	due  []due // by moment
	left int   // requests that the users of a closed loop may still send
}

func newSender(e *Engine, w *Workload) *sender {
	s := &sender{w: w, rng: rand.New(rand.NewPCG(w.Seed, 0x853c49e6748fea9b))}
	switch {
	case w.Burst:
		s.due = make([]due, w.Requests)
	case w.Rate > 0:
		t := 0.0
		for range w.Requests {
			t += s.rng.ExpFloat64() / w.Rate
			s.due = append(s.due, due{at: t})
		}
	default:
		s.left = math.MaxInt
		if w.Requests > 0 {
			s.left = max(w.Requests-w.Users, 0)
		}
		apart := w.Apart
		switch {
		case w.LockStep:
			apart = 0
		case apart == 0:
			apart = w.AnswerTime(e.o.Setup) / float64(w.Users)
		}
		for u := range w.Users {
			s.due = append(s.due, due{at: float64(u) * apart, user: u + 1})
		}
	}
	return s
}

// send hands in the request that is due first.
func (s *sender) send(e *Engine) error {
	d := s.due[0]
	s.due = s.due[1:]
	r := &Request{User: d.user, Prompt: s.length(s.w.Prompt), Output: s.length(s.w.Output), Uncached: s.w.Uncached}
	for i := range s.w.Shared / physics.Block {
		r.Blocks = append(r.Blocks, uint64(i)+1)
	}
	if err := e.Submit(max(d.at, e.Now()), r); err != nil {
		return fmt.Errorf("request %d of the workload: %w", e.ids+1, err)
	}
	return nil
}

// length draws a length with the given mean.
//
//	mean·exp(s·N − s²/2)
func (s *sender) length(mean int) int {
	d := s.w.Vary
	if d == 0 {
		return mean
	}
	return max(1, int(math.Round(float64(mean)*math.Exp(d*s.rng.NormFloat64()-d*d/2))))
}

// answered lets the user of a closed loop who got an answer ask again.
func (s *sender) answered(r *Request, at float64) {
	if s.w.Users > 0 && s.left > 0 {
		s.left--
		i := sort.Search(len(s.due), func(i int) bool { return s.due[i].at > at })
		s.due = slices.Insert(s.due, i, due{at: at, user: r.User.(int)})
	}
}

// AnswerTime estimates how long an answer takes on s when all users are there,
// in seconds: one step of all of them for every token, and the prompt of each.
// Prompts that are shared as a whole take no time.
func (w *Workload) AnswerTime(s *physics.Setup) float64 {
	step := s.Step(&physics.Load{Seqs: w.Users, Ctx: int64(w.Users * (w.Prompt + w.Output/2)),
		WinCtx: int64(w.Users * min(w.Prompt, s.Model.Reach()))})
	perStep := 1.0
	if s.Draft != nil {
		perStep = s.Draft.Expected()
	}
	prompt := s.Step(&physics.Load{Chunks: []physics.Chunk{{New: max(w.Prompt, 1), Last: true}}})
	if w.Shared >= w.Prompt {
		prompt = physics.Cost{}
	}
	return float64(w.Output)/perStep*step.Seconds() + float64(w.Users)*prompt.Seconds()
}

// due is the moment of a request, in seconds, and its user, from 1 in a closed
// loop; else 0.
type due struct {
	at   float64
	user int
}
