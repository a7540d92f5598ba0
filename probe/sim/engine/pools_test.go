package engine

import (
	"math"
	"testing"
)

// A request between the pools still counts as running. Its cache moves in
// tokens·bytes/link seconds.
func TestMovingRequestIsCounted(t *testing.T) {
	s := eight(t)
	const link = 1e9 // 131 ms for 1000 tokens of 131 kB
	e := New(Options{Setup: s, Mode: Disaggregated, Link: link})
	r := &Request{Prompt: 1000, Output: 3}
	if err := e.Submit(0, r); err != nil {
		t.Fatal(err)
	}
	first := 0.0
	for at, busy := e.Next(); busy; at, busy = e.Next() {
		e.Advance(at)
		if st := e.Stats(); !r.Finished && st.Running+st.Queued != 1 {
			t.Errorf("at %v s, after %d tokens: %+v", at, r.Produced, st)
		}
		if r.Produced == 2 && first == 0 {
			first = r.Last
		}
	}
	step := (r.Last - first) // the third token: a decode step alone
	if moved := first - r.First - step; math.Abs(moved-1000*s.KVToken/link) > 1e-4 {
		t.Errorf("the cache took %v s to move, want %v", moved, 1000*s.KVToken/link)
	}
	if st := e.Stats(); st.Running != 0 {
		t.Errorf("after the end: %+v", st)
	}
}
