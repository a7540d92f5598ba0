package engine

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/sim/physics"
)

// drafted returns a setup with a head that guesses k tokens.
func drafted(t interface{ Fatalf(string, ...any) }, s *physics.Setup, k int) *physics.Setup {
	c := s.Config
	c.Draft = &physics.Draft{K: k, Head: .05, Accept: []float64{.7}}
	d, err := physics.New(c)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return d
}

// noted is an engine that records every ended step and every failure.
type noted struct {
	*Engine
	reqs   []*Request
	steps  []Step
	failed []*Request
}

// busyEngine returns an engine in the middle of a step, with n requests of
// this length.
func busyEngine(t *testing.T, o Options, n, prompt, output int) *noted {
	t.Helper()
	x := &noted{}
	o.OnStep = func(s *Step) { x.steps = append(x.steps, *s) }
	o.OnFail = func(r *Request) { x.failed = append(x.failed, r) }
	x.Engine = New(o)
	for range n {
		r := &Request{Prompt: prompt, Output: output}
		testkit.OK(t, x.Submit(0, r))
		x.reqs = append(x.reqs, r)
	}
	for x.reqs[n-1].order == 0 {
		at, ok := x.Next()
		if !ok {
			t.Fatal("nothing happens any more")
		}
		x.Advance(at)
	}
	return x
}

// step runs the next event.
func (x *noted) step() {
	at, _ := x.Next()
	x.Advance(at)
}

func (x *noted) phases() (all string) {
	for _, s := range x.Batch(nil) {
		all += fmt.Sprintf("%d %s\n", s.Request.ID, s.Phase)
	}
	return all
}

func TestReconfigureKeepsCaches(t *testing.T) {
	eight := eight(t)
	bare := *eight
	bare.Stack.Request, bare.Stack.Serial = 0, 0 // all requests are ready at once
	fp8 := setup(t, "llama-3.1-8b", "fp8", "h100", 1)
	two := setup(t, "llama-3.1-8b", "bf16", "h100", 2)
	for _, c := range []struct {
		name string
		to   Config
		keep bool
	}{
		{"budget", Config{Setup: &bare, Budget: 100}, true},
		{"sequences", Config{Setup: &bare, MaxSeqs: 2}, true},
		{"draft", Config{Setup: drafted(t, &bare, 3)}, true},
		{"static", Config{Setup: &bare, Mode: Static}, true},
		{"one at a time", Config{Setup: &bare, Mode: None}, true},
		{"prefill first", Config{Setup: &bare, Mode: PrefillFirst}, true},
		{"precision", Config{Setup: fp8}, false},
		{"hardware", Config{Setup: setup(t, "llama-3.1-8b", "bf16", "h200", 1)}, false},
		{"model", Config{Setup: setup(t, "qwen3-8b", "bf16", "h100", 1)}, false},
		{"group", Config{Setup: two}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := busyEngine(t, Options{Config: Config{Setup: &bare}}, 4, 500, 60)
			under, n := x.lanes[0].step, len(x.steps)
			x.Reconfigure(c.to)
			at, _ := x.Next()
			testkit.Need(t, at, under.End, "the step under way would have ended at …, now at")
			x.Advance(at)
			if s := x.steps[n]; s.Cost.Seconds() != under.Cost.Seconds() || s.Setup != &bare || s.Changes != 0 {
				t.Errorf("the step under way was changed: %+v", s)
			}
			if s := x.lanes[0].step; s.Setup != c.to.Setup || s.Changes != 1 || c.keep == (s.Preempted > 0) {
				t.Errorf("the step after it: changes %d, %d preempted", s.Changes, s.Preempted)
			}
			testkit.Is(t, x.lanes[0].kv.total, c.to.Setup.Capacity/physics.Block, "room for … blocks")
			drain(x.Engine)
			for i, r := range x.reqs {
				if !r.Finished || r.Produced != 60 || c.keep != (r.Preempted == 0) || !c.keep && r.Preempted != 1 {
					t.Errorf("request %d: %d tokens, preempted %d times", i, r.Produced, r.Preempted)
				}
			}
			if c.keep != (x.Stats().Preempted == 0) {
				t.Errorf("%d preemptions", x.Stats().Preempted)
			}
		})
	}
}

// Preempted requests return first, in their old order.
func TestPreemptedRequestsReturnInOrder(t *testing.T) {
	x := busyEngine(t, Options{Config: Config{Setup: eight(t), MaxSeqs: 3}}, 3, 200, 100)
	late := &Request{Prompt: 200, Output: 10}
	testkit.OK(t, x.Submit(x.Now(), late))
	x.Reconfigure(Config{Setup: setup(t, "llama-3.1-8b", "fp8", "h100", 1), MaxSeqs: 1})
	drain(x.Engine)
	ended := append(slices.Clone(x.reqs), late)
	for i := 1; i < len(ended); i++ {
		if ended[i-1].Last >= ended[i].Last {
			t.Errorf("request %d ended at %v, the one after it at %v", i, ended[i-1].Last, ended[i].Last)
		}
	}
}

func TestRequestThatNoLongerFitsFails(t *testing.T) {
	tight := *eight(t)
	tight.Capacity = 1024
	for _, idle := range []bool{true, false} {
		x := busyEngine(t, Options{Config: Config{Setup: eight(t)}}, 1, 500, 400)
		if idle {
			drain(x.Engine)
		}
		long, short := &Request{Prompt: 2000, Output: 10}, &Request{Prompt: 20, Output: 10}
		for _, r := range []*Request{long, short} {
			testkit.OK(t, x.Submit(x.Now(), r))
		}
		x.Reconfigure(Config{Setup: &tight})
		drain(x.Engine)
		if len(x.failed) != 1 || x.failed[0] != long || !errors.Is(long.Err, ErrTooLong) || long.Finished {
			t.Errorf("%d failed: %v", len(x.failed), long.Err)
		}
		if !short.Finished || !x.reqs[0].Finished {
			t.Error("those that fit did not end")
		}
		x.Cancel(long) // its client disconnects: nothing happens
		if err := x.Submit(x.Now(), &Request{Prompt: 2000, Output: 10}); !errors.Is(err, ErrTooLong) {
			t.Errorf("afterwards: %v", err)
		}
	}
}

// One engine becomes two pools: decoding requests move, prefilling ones stay.
// On the way back it is reversed.
func TestPoolsSplitAndJoin(t *testing.T) {
	s := *eight(t)
	s.Stack.Request, s.Stack.Serial = 0, 0
	x := busyEngine(t, Options{Config: Config{Setup: &s, Budget: 512}}, 2, 100, 400)
	for x.reqs[1].Produced < 5 {
		x.step()
	}
	long := &Request{Prompt: 3000, Output: 10}
	testkit.OK(t, x.Submit(x.Now(), long))
	for long.computed == 0 {
		x.step()
	}
	x.Reconfigure(Config{Setup: &s, Mode: Disaggregated, Budget: 512})
	x.step()
	testkit.Is(t, x.phases(), "3 prefill\n1 moving\n2 moving\n", "parted")
	for range 4 {
		x.step()
	}
	testkit.Is(t, x.phases(), "1 decode\n2 decode\n3 prefill\n", "two pools")
	x.Reconfigure(Config{Setup: &s, Budget: 512})
	for len(x.lanes) == 2 {
		x.step()
	}
	// The prompt was preempted, and is admitted again in the step that begins.
	if got := x.phases(); got != "1 decode\n2 decode\n3 prefill\n" || long.Preempted != 1 ||
		x.reqs[0].Preempted+x.reqs[1].Preempted > 0 {
		t.Errorf("joined:\n%s", got)
	}
	drain(x.Engine)
	for _, r := range append(x.reqs, long) {
		testkit.Is(t, r.Produced, r.Output, "tokens")
	}
	testkit.Is(t, x.lanes[0].kv.used, 0, "blocks held after the end")
}

// A change that leaves the caches alone makes neither pool wait for the
// other. A change of model does.
func TestPoolsWaitOnlyForDependentChanges(t *testing.T) {
	less := *eight(t)
	less.Capacity = 30000
	for _, c := range []struct {
		name  string
		to    *physics.Setup
		waits bool
	}{{"budget", eight(t), false}, {"room", &less, true}, {"precision", setup(t, "llama-3.1-8b", "fp8", "h100", 1),
		true}} {
		x := busyEngine(t, Options{Config: Config{Setup: eight(t), Mode: Disaggregated}}, 1, 50, 4000)
		for x.reqs[0].Produced < 5 {
			x.step()
		}
		testkit.OK(t, x.Submit(x.Now(), &Request{Prompt: 20000, Output: 10}))
		for !x.lanes[0].busy {
			x.step()
		}
		long := x.lanes[0].step.End
		x.Reconfigure(Config{Setup: c.to, Mode: Disaggregated, Budget: 4096})
		n := len(x.steps)
		for x.Now() < long {
			x.step()
		}
		decodes := 0
		for _, s := range x.steps[n:] {
			if s.Pool == "decode" {
				decodes++
			}
		}
		testkit.Is(t, c.waits, decodes <= 1, c.name, decodes, "decode steps until the prefill ended")
	}
}

// A static batch whose mode changes keeps no finished sequence.
func TestPaddedSlotsEndWithStaticMode(t *testing.T) {
	s := *eight(t)
	s.Stack.Request, s.Stack.Serial = 0, 0
	for _, to := range []Mode{Continuous, PrefillFirst, Disaggregated, None} {
		x := busyEngine(t, Options{Config: Config{Setup: &s, Mode: Static}}, 1, 50, 5)
		long := &Request{Prompt: 50, Output: 200}
		drain(x.Engine)
		for _, r := range []*Request{{Prompt: 50, Output: 5}, long} {
			testkit.OK(t, x.Submit(x.Now(), r))
		}
		for long.Produced < 20 {
			x.step()
		}
		testkit.Need(t, x.phases(), "2 padded\n3 decode\n", "before")
		x.Reconfigure(Config{Setup: &s, Mode: to})
		x.step()
		if n := len(x.Batch(nil)); n != 1 {
			t.Errorf("%v: %d left:\n%s", to, n, x.phases())
		}
		drain(x.Engine)
		if long.Produced != 200 || x.lanes[0].kv.used != 0 {
			t.Errorf("%v: %d tokens, %d blocks held", to, long.Produced, x.lanes[0].kv.used)
		}
	}
}

// Fewer sequences per step: those admitted last pause and keep their cache.
func TestFewerSequencesPauseTheLast(t *testing.T) {
	x := busyEngine(t, Options{Config: Config{Setup: eight(t)}}, 4, 100, 100)
	x.Reconfigure(Config{Setup: eight(t), MaxSeqs: 2})
	x.step()
	was := [2]int{x.reqs[2].Produced, x.reqs[3].Produced}
	for range 5 {
		x.step()
	}
	if s := x.steps[len(x.steps)-1]; s.Decodes+s.Prefills != 2 || s.Running != 4 {
		t.Errorf("%d in the step of %d", s.Decodes+s.Prefills, s.Running)
	}
	if x.reqs[2].Produced != was[0] || x.reqs[3].Produced != was[1] || x.reqs[3].blocks == 0 {
		t.Error("those that rest go on, or lost their cache")
	}
	drain(x.Engine)
	if x.Stats().Preempted != 0 || x.reqs[3].Produced != 100 {
		t.Errorf("%+v", x.Stats())
	}
}

// A draft removed in the middle of a step still verifies the guesses of that
// step, also if the change need not wait.
func TestDraftRemovedDuringAStep(t *testing.T) {
	for _, m := range []Mode{Continuous, Disaggregated} {
		plain := eight(t)
		x := busyEngine(t, Options{Config: Config{Setup: drafted(t, plain, 4), Mode: m}}, 1, 50, 400)
		for x.reqs[0].Produced < 20 {
			x.step()
		}
		guessed := x.reqs[0].Guessed
		x.Reconfigure(Config{Setup: plain, Mode: m})
		x.step()
		if got := x.reqs[0].Guessed; guessed == 0 || got != guessed+4 {
			t.Errorf("%v: %d guesses before, %d after the last step with a draft", m, guessed, got)
		}
		n := len(x.steps)
		drain(x.Engine)
		for _, s := range x.steps[n:] {
			testkit.Need(t, s.Tokens, 1, m, "tokens in a step without a draft")
		}
	}
}

// A batch without reserved room becomes static. A finished sequence frees its
// room and does not return.
func TestPreemptedPaddedSlotIsRemoved(t *testing.T) {
	s := *eight(t)
	s.Capacity = 45 * physics.Block
	s.Stack.Request, s.Stack.Serial = 0, 0
	x := &noted{Engine: New(Options{Config: Config{Setup: &s}})}
	long, short := &Request{Prompt: 300, Output: 300}, &Request{Prompt: 300, Output: 20}
	for _, r := range []*Request{long, short} {
		testkit.OK(t, x.Submit(0, r))
	}
	for short.Produced < 10 {
		x.step()
	}
	x.Reconfigure(Config{Setup: &s, Mode: Static})
	for !short.Finished {
		x.step()
	}
	testkit.Need(t, x.phases(), "1 decode\n2 padded\n", "before")
	drain(x.Engine)
	if long.Produced != 300 || long.Preempted != 0 || short.Produced != 20 || short.phase != PhaseDone ||
		x.lanes[0].kv.used != 0 {
		t.Errorf("long: %d tokens, preempted %d times; short: %d tokens", long.Produced, long.Preempted, short.Produced)
	}
}

// In a static batch too, a preempted request recomputes its prompt and its
// output so far.
func TestStaticBatchIsRecomputedWhole(t *testing.T) {
	x := busyEngine(t, Options{Config: Config{Setup: eight(t), Mode: Static}}, 1, 500, 60)
	for x.reqs[0].Produced < 20 {
		x.step()
	}
	x.Reconfigure(Config{Setup: setup(t, "llama-3.1-8b", "fp8", "h100", 1), Mode: Static})
	x.step()
	if s := x.lanes[0].step; s.Prefilled != 521 || len(x.lanes[0].load.Chunks) != 1 || !x.lanes[0].load.Chunks[0].Last {
		t.Errorf("%d tokens computed again, chunks %+v", s.Prefilled, x.lanes[0].load.Chunks)
	}
	drain(x.Engine)
	if x.reqs[0].Produced != 60 || x.Stats().PromptTokens != 500 {
		t.Errorf("%d tokens, %d of prompts", x.reqs[0].Produced, x.Stats().PromptTokens)
	}
}
