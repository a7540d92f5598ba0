package engine

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/sim/physics"
)

// When both pools end a step at the same time, each report holds its own
// pool's batch.
func TestTwoStepsThatEndTogether(t *testing.T) {
	var e *Engine
	done := map[string][]uint64{}
	e = New(Options{Config: Config{Setup: eight(t), Mode: Disaggregated}, OnStep: func(s *Step) {
		for _, q := range e.Batch(nil) {
			if q.Phase == PhaseDone || q.Phase == PhaseMoving && s.Pool == "prefill" {
				done[s.Pool] = append(done[s.Pool], q.Request.ID)
			}
		}
	}})
	submit := func(output int) {
		testkit.OK(t, e.Submit(e.Now(), &Request{Prompt: 50, Output: output}))
	}
	submit(1)
	for !e.lanes[1].busy {
		at, _ := e.Next()
		e.Advance(at)
	}
	submit(1)
	e.lanes[1].step.End = 1 // a long step, until the other one ends too
	clear(done)
	for e.Now() < 1 {
		at, _ := e.Next()
		if e.lanes[0].busy {
			at = 1
		}
		e.Advance(at)
	}
	if len(done["prefill"]) != 1 || done["prefill"][0] != 2 || len(done["decode"]) != 1 || done["decode"][0] != 1 {
		t.Errorf("%v", done)
	}
}

// Batch agrees with the step in every mode.
func TestBatchAgreesWithTheStep(t *testing.T) {
	wafer := setup(t, "llama-3.1-8b", "bf16", "cerebras", 1)
	for m := Continuous; m < numModes; m++ {
		for _, s := range []*physics.Setup{eight(t), drafted(t, eight(t), 3), wafer} {
			var e *Engine
			var dst []RequestState
			tokens := 0
			look := func(ended bool) func(*Step) {
				return func(st *Step) {
					scheduled, ids := 0, map[uint64]bool{}
					dst = e.Batch(dst[:0])
					rank := 0
					for _, q := range dst {
						testkit.Given(t, !ids[q.Request.ID], "%v: request %d twice", m, q.Request.ID)
						ids[q.Request.ID] = true
						if q.Scheduled > 0 {
							scheduled++
						}
						now := map[Phase]int{PhaseMoving: 1, PhaseWaiting: 2, PhasePreempted: 2, PhaseArriving: 2}[q.Phase]
						testkit.Given(t, now >= rank, "%v: %s after a later group", m, q.Phase)
						rank = now
					}
					if scheduled != st.Decodes+st.Prefills {
						t.Fatalf("%v step %d, ended %v: %d of the batch run, in the step %d+%d", m, st.Number, ended, scheduled,
							st.Decodes, st.Prefills)
					}
					if ended {
						tokens += st.Tokens
					}
					d := st.End - st.Start - st.Cost.Seconds()
					testkit.Given(t, math.Abs(d) <= 1e-9 && st.Setup == s, "%v: step %+v", m, st)
				}
			}
			e = New(Options{Config: Config{Setup: s, Mode: m, Budget: 700, MaxSeqs: 8}, OnStep: look(true), OnPlan: look(false)})
			want := 0
			for i := range 20 {
				r := &Request{Prompt: 50 + 200*i, Output: 10 + i}
				want += r.Output
				testkit.OK(t, e.Submit(0, r))
			}
			drain(e)
			testkit.Is(t, tokens, want, m, "the steps yielded … tokens")
		}
	}
}

func TestBatchShowsFinishedRequests(t *testing.T) {
	var e *Engine
	var seen []string
	e = New(Options{Config: Config{Setup: eight(t)}, OnStep: func(*Step) {
		line := ""
		for _, q := range e.Batch(nil) {
			line += fmt.Sprintf("%d %s %d/%d +%d  ", q.Request.ID, q.Phase, q.Computed, q.Blocks, q.Scheduled)
		}
		seen = append(seen, line)
	}})
	for _, r := range []*Request{{Prompt: 40, Output: 2}, {Prompt: 20, Output: 3}} {
		testkit.OK(t, e.Submit(0, r))
	}
	drain(e)
	want := []string{
		"1 decode 40/3 +40  2 waiting 0/0 +0  ",
		"1 done 41/0 +1  2 decode 20/2 +20  ",
		"2 decode 21/2 +1  ",
		"2 done 22/0 +1  ",
	}
	testkit.That(t, slices.Equal(seen, want), "%q", seen)
}
