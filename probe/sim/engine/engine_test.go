package engine

import (
	"errors"
	"math"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/sim/physics"
)

// setup returns a model on hardware under vLLM. It fails the test on an
// error.
func setup(t interface{ Fatalf(string, ...any) }, model, precision, machine string, tp int) *physics.Setup {
	return sharing(t, model, precision, machine, tp, physics.Tensor)
}

func sharing(t interface{ Fatalf(string, ...any) }, model, precision, machine string, tp int,
	how physics.Sharing) *physics.Setup {
	m, _ := physics.ModelOf(model)
	p, _ := physics.PrecisionOf(precision)
	h, _ := physics.Machine(machine)
	st, _ := physics.StackOf("vllm")
	s, err := physics.New(physics.Config{Model: m, Precision: p, Hardware: h, Stack: st, TP: tp, Sharing: how})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return s
}

func eight(t interface{ Fatalf(string, ...any) }) *physics.Setup {
	return setup(t, "llama-3.1-8b", "bf16", "h100", 1)
}

// A long prompt stretches the neighbour's gaps: the prefill bubble.
func TestPromptSlowsOtherSequences(t *testing.T) {
	longest := func(m Mode) float64 {
		e := New(Options{Config: Config{Setup: eight(t), Mode: m}})
		reader := &Request{Prompt: 10, Output: 300}
		testkit.OK(t, e.Submit(0, reader))
		gap, last := 0.0, 0.0
		for {
			at, busy := e.Next()
			if !busy {
				return gap
			}
			for _, y := range e.Advance(at) {
				if y.Request != reader {
					continue
				}
				if last > 0 {
					gap = max(gap, at-last)
				}
				last = at
				if reader.Produced == 50 {
					testkit.OK(t, e.Submit(at, &Request{Prompt: 20000, Output: 2}))
				}
			}
		}
	}
	continuous, first, apart := longest(Continuous), longest(PrefillFirst), longest(Disaggregated)
	if !(apart < 0.008 && continuous > 0.1 && first > 2*continuous) {
		t.Errorf("longest gap: disaggregated %v, continuous %v, prefill first %v s", apart, continuous, first)
	}
}

func TestStaticBatchWaitsForItsLongest(t *testing.T) {
	s := *eight(t)
	s.Stack.Request, s.Stack.Serial = 0, 0 // all three are ready when the batch is formed
	e := New(Options{Config: Config{Setup: &s, Mode: Static, MaxSeqs: 2}})
	short, long, next := &Request{Prompt: 10, Output: 5}, &Request{Prompt: 10, Output: 100},
		&Request{Prompt: 10, Output: 5}
	for _, r := range []*Request{short, long, next} {
		testkit.OK(t, e.Submit(0, r))
	}
	drain(e)
	if !(short.Last < long.Last && next.Admitted >= long.Last) {
		t.Errorf("short ended %v, long %v, the next one began %v", short.Last, long.Last, next.Admitted)
	}
}

// A turn in a static batch, whose prompts fill more than a step, is a wait and no prefill.
func TestATurnIsNotPrefill(t *testing.T) {
	s := *eight(t)
	s.Stack.Request, s.Stack.Serial = 0, 0
	e := New(Options{Config: Config{Setup: &s, Mode: Static, MaxSeqs: 2, Budget: 4000}})
	first, second := &Request{Prompt: 4000, Output: 5}, &Request{Prompt: 4000, Output: 5}
	for _, r := range []*Request{first, second} {
		testkit.OK(t, e.Submit(0, r))
	}
	drain(e)
	if first.Queued() != 0 || math.Abs(second.Queued()-first.Prefill) > 1e-9 || second.Prefill > 1.3*first.Prefill {
		t.Errorf("waits of %v and %v s, prompts of %v and %v s", first.Queued(), second.Queued(), first.Prefill,
			second.Prefill)
	}
}

// A scheduler that works ahead has planned the next step before this one ends. Whoever
// comes meanwhile joins the one after it, and an idle engine lets nobody wait.
func TestWhoComesDuringAStepWaits(t *testing.T) {
	for _, c := range []struct {
		async bool
		steps float64
	}{{false, 1}, {true, 2}} {
		s := *eight(t)
		s.Stack.Request, s.Stack.Serial, s.Stack.Async = 0, 0, c.async
		e := New(Options{Config: Config{Setup: &s}})
		first, second := &Request{Prompt: 1000, Output: 100}, &Request{Prompt: 10, Output: 5}
		testkit.OK(t, e.Submit(0, first))
		for first.Produced < 10 {
			at, _ := e.Next()
			e.Advance(at)
		}
		at := e.Now()
		step := e.lanes[0].step.End - at
		testkit.OK(t, e.Submit(at+step/100, second))
		drain(e)
		if got := (second.Admitted - at) / step; math.Abs(got-c.steps) > .02 || first.Admitted != first.Ready {
			t.Errorf("async %v: admitted after %.3f steps, want %v; the first one waited %v s", c.async, got, c.steps,
				first.Admitted-first.Ready)
		}
	}
}

func TestNoneServesOneAtATime(t *testing.T) {
	e := New(Options{Config: Config{Setup: eight(t), Mode: None}})
	a, b := &Request{Prompt: 10, Output: 5}, &Request{Prompt: 10, Output: 5}
	for _, r := range []*Request{a, b} {
		testkit.OK(t, e.Submit(0, r))
	}
	drain(e)
	if b.Admitted < a.Last {
		t.Errorf("the second began at %v, the first ended at %v", b.Admitted, a.Last)
	}
}

func drain(e *Engine) {
	for at, busy := e.Next(); busy; at, busy = e.Next() {
		e.Advance(at)
	}
}

func TestPrefixCacheSkipsPrefill(t *testing.T) {
	var hashes []uint64
	for i := range 62 {
		hashes = append(hashes, uint64(i)+7)
	}
	e := New(Options{Config: Config{Setup: eight(t)}})
	first, second := &Request{Prompt: 1000, Output: 5, Blocks: hashes}, &Request{Prompt: 1000, Output: 5, Blocks: hashes}
	for _, r := range []*Request{first, second} {
		testkit.OK(t, e.Submit(e.Now(), r))
		drain(e)
	}
	if first.Cached != 0 || second.Cached != 992 {
		t.Errorf("cached %d and %d of 1000", first.Cached, second.Cached)
	}
	if second.Prefill > first.Prefill/2 {
		t.Errorf("prefill %v, then %v s", first.Prefill, second.Prefill)
	}
	if st := e.Stats(); st.KV != 0 || st.CachedTokens != 992 {
		t.Errorf("%+v", st)
	}
}

func TestAWholeCachedPromptStillComputesOneToken(t *testing.T) {
	hashes := []uint64{1, 2}
	e := New(Options{Config: Config{Setup: eight(t)}})
	for range 2 {
		r := &Request{Prompt: 32, Output: 2, Blocks: hashes}
		testkit.OK(t, e.Submit(e.Now(), r))
		drain(e)
		if r.Produced != 2 || r.Cached > 16 {
			t.Errorf("%d tokens, %d cached", r.Produced, r.Cached)
		}
	}
}

func TestWhatDoesNotFitIsRefused(t *testing.T) {
	s := *eight(t)
	s.Capacity = 1600
	e := New(Options{Config: Config{Setup: &s}, MaxQueue: 1})
	if err := e.Submit(0, &Request{Prompt: 1500, Output: 200}); !errors.Is(err, ErrTooLong) {
		t.Errorf("too long: %v", err)
	}
	if err := e.Submit(0, &Request{Prompt: 0, Output: 1}); err == nil {
		t.Error("an empty prompt is accepted")
	}
	testkit.Is(t, e.Submit(0, &Request{Prompt: 10, Output: 1}), nil)
	if err := e.Submit(0, &Request{Prompt: 10, Output: 1}); !errors.Is(err, ErrQueueFull) {
		t.Errorf("queue: %v", err)
	}
}
