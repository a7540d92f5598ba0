package engine

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"tokscope/probe/sim/physics"
)

// Workload is who asks for what, for a run in virtual time. Exactly one of
// Users, Rate and Burst is set.
type Workload struct {
	Prompt, Output int
	// Users is a closed loop: so many ask again as soon as they are answered.
	// They start spread over the time of one answer, because users that start
	// together stay in lock-step and wait for each other's prompts for ever.
	Users int
	// LockStep starts the users of a closed loop together.
	LockStep bool
	Rate     float64 // open loop: requests per second, at random moments
	Burst    bool    // all at once
	Requests int     // in all; 0: eight for every user, at least 40
	// Shared tokens at the start of every prompt are the same in all of them.
	Shared int
	// Vary draws the lengths from a log-normal distribution with Prompt and
	// Output as means and this deviation of the logarithm; 0: all are equal.
	Vary float64
	Seed uint64
}

type sender struct {
	w     Workload
	rng   *rand.Rand
	due   []due // by time
	left  int   // requests that users may still ask
	ended []*Request
	users map[*Request]int
}

func (s *sender) send(e *Engine) {
	d := s.due[0]
	s.due = s.due[1:]
	r := &Request{Prompt: s.length(s.w.Prompt), Output: s.length(s.w.Output)}
	for i := range s.w.Shared / physics.Block {
		r.Blocks = append(r.Blocks, uint64(i)+1)
	}
	if e.Submit(max(d.at, e.Now()), r) == nil {
		s.users[r] = d.user
	}
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

func (s *sender) answered(r *Request, at float64) {
	s.ended = append(s.ended, r)
	if s.w.Users > 0 && s.left > 0 {
		s.left--
		d := due{at: at, user: s.users[r]}
		i, _ := slices.BinarySearchFunc(s.due, d, func(a, b due) int { return cmp.Compare(a.at, b.at) })
		s.due = slices.Insert(s.due, i, d)
	}
}

// due is the moment of a request, in seconds, and its user, from 1 in a closed
// loop; else 0.
type due struct {
	at   float64
	user int
}
