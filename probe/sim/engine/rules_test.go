package engine

import (
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/sim/physics"
)

// Guesses count against the token budget of a step.
func TestGuessesCountAgainstTheBudget(t *testing.T) {
	s := *eight(t)
	s.Draft = &physics.Draft{K: 3, Head: .05, Accept: []float64{1}}
	for budget, most := range map[int]int{1: 1, 2: 2, 4: 4, 100: 4} {
		e := New(Options{Config: Config{Setup: &s, Budget: budget}})
		testkit.OK(t, e.Submit(0, &Request{Prompt: 1, Output: 60}))
		got := 0
		for at, busy := e.Next(); busy; at, busy = e.Next() {
			for _, y := range e.Advance(at) {
				got = max(got, y.N)
			}
		}
		testkit.Is(t, got, most, "budget", budget, "up to … tokens a step")
	}
}

// Unheld blocks make room first, the oldest before newer ones.
func TestTheOldestCachedBlockGoesFirst(t *testing.T) {
	p := newPool(&physics.Setup{Capacity: 3 * physics.Block})
	for hash := range uint64(3) {
		r := &Request{Prompt: physics.Block, Blocks: []uint64{hash + 1}, computed: physics.Block}
		testkit.Given(t, p.grow(r, physics.Block), "no room")
		p.publish(r)
		p.release(r)
	}
	testkit.Given(t, p.grow(&Request{}, 2*physics.Block), "blocks that no request holds block an admission")
	testkit.That(t, p.cache[1] == nil && p.cache[2] == nil && p.cache[3] != nil, "left: %v", p.cache)
}
