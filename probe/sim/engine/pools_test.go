package engine

import (
	"context"
	"math"
	"testing"

	"tokscope/metrics/testkit"
)

// A request between the pools still counts as running. Its cache moves in
// tokens·bytes/link seconds.
func TestMovingRequestIsCounted(t *testing.T) {
	s := eight(t)
	const link = 1e9 // 131 ms for 1000 tokens of 131 kB
	e := New(Options{Config: Config{Setup: s, Mode: Disaggregated}, Link: link})
	r := &Request{Prompt: 1000, Output: 3}
	testkit.OK(t, e.Submit(0, r))
	for at, busy := e.Next(); busy; at, busy = e.Next() {
		e.Advance(at)
		if st := e.Stats(); !r.Finished && st.Running+st.Queued != 1 {
			t.Errorf("at %v s, after %d tokens: %+v", at, r.Produced, st)
		}
	}
	if moved := r.Queued(); math.Abs(moved-1000*s.KVToken/link) > 1e-3 {
		t.Errorf("the cache took %v s to move, want %v", moved, 1000*s.KVToken/link)
	}
	if st := e.Stats(); st.Running != 0 {
		t.Errorf("after the end: %+v", st)
	}
}

// With two pools a token takes decode steps and nothing else. A wait for room
// in the decode pool is part of the time to the first token.
func TestWaitingForTheDecodePoolIsNotPartOfTPOT(t *testing.T) {
	all := pairs(t)
	r := testkit.Rand(t, 7)
	waited := 0
	for range plays() {
		w := randomWorkload(t, r, all, true)
		longest, working := 0.0, 0.0
		p := Player{Options: Options{Config: Config{Setup: w.setup, Mode: Disaggregated}, OnStep: func(s *Step) {
			if s.Pool == "decode" {
				longest = max(longest, s.End-s.Start)
			}
		}}, Workload: Workload{Burst: true, Requests: w.users, Prompt: w.prompt, Output: w.output}, Yield: func(y Emission) {
			if q := y.Request; q.Finished {
				working = max(working, q.TPOT())
				if q.Queued() > 10*longest {
					waited++
				}
			}
		}}
		testkit.Must(p.Play(context.Background()))(t)
		if working > longest*1.0001 {
			t.Errorf("%s on %s, %d users with %d + %d tokens, room for %d: TPOT %v s, the longest decode step %v s",
				w.setup.Model.Key, w.setup.Hardware.Key,
				w.users, w.prompt, w.output, w.setup.Capacity, working, longest)
		}
	}
	testkit.That(t, waited != 0, "nobody waited, so nothing was tested")
}
