// Package enginetest plays workloads on the simulated engine for tests and sums
// up what came of them.
package enginetest

import (
	"context"
	"math"
	"testing"

	"tokscope/probe/sim/engine"
)

// Result is what came of a workload. Times are seconds, means over requests.
// All is zero when no request ended.
type Result struct {
	Requests   int
	TTFT       float64
	TPOT       float64 // over requests of two tokens or more
	E2E        float64
	Duration   float64 // first arrival to last token
	Tokens     int     // output tokens
	Prompts    int     // prompt tokens
	Throughput float64 // output tokens per second; of a closed loop without Requests: while all users were there
	Steps      uint64
	Preempted  uint64
	Done       []*engine.Request // in the order of their ends
}

// Run plays a workload on a fresh engine in virtual time. A closed loop without
// Requests sends eight for every user, at least 40. A request that the engine
// refuses fails the test.
func Run(t testing.TB, o engine.Options, w engine.Workload) Result {
	t.Helper()
	loop := w.Users > 0 && w.Requests == 0
	if loop {
		w.Requests = max(8*w.Users, 40)
	}
	var r Result
	p := engine.Player{Options: o, Workload: w, Yield: func(y engine.Emission) {
		if y.Request.Finished {
			r.Done = append(r.Done, y.Request)
		}
	}}
	st, err := p.Play(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	r.Requests, r.Steps, r.Preempted = len(r.Done), st.Steps, st.Preempted
	if r.Requests == 0 {
		return r
	}
	first, last := math.Inf(1), 0.0
	tpots := 0
	for _, q := range r.Done {
		r.TTFT += q.TTFT()
		r.E2E += q.Last - q.Arrive
		r.Tokens += q.Produced
		r.Prompts += q.Prompt
		first, last = min(first, q.Arrive), max(last, q.Last)
		if q.Produced > 1 {
			r.TPOT += q.TPOT()
			tpots++
		}
	}
	n := float64(r.Requests)
	r.TTFT, r.E2E = r.TTFT/n, r.E2E/n
	if tpots > 0 {
		r.TPOT /= float64(tpots)
	}
	r.Duration = last - first
	if r.Duration > 0 {
		r.Throughput = float64(r.Tokens) / r.Duration
	}
	if loop && r.E2E > 0 {
		r.Throughput = steady(r.Done, w.Users)
	}
	return r
}

// steady is the throughput of a closed loop after every user was answered once
// and while all of them ask again. It counts whole rounds of all users: of those
// in lock-step, a part of a round would hold too few answers.
func steady(done []*engine.Request, users int) float64 {
	n := (len(done) - 2*users) / users * users
	if n <= 0 {
		return 0
	}
	from, to := done[users-1].Last, done[users-1+n].Last
	tokens := 0
	for _, q := range done[users : users+n] {
		tokens += q.Produced
	}
	if to <= from {
		return 0
	}
	return float64(tokens) / (to - from)
}
