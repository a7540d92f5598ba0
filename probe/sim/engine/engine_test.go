package engine

import (
	"errors"
	"math"
	"testing"

	"tokscope/probe/sim/physics"
)

// setup returns a model on hardware under vLLM. It fails the test on an
// error.
func setup(t interface{ Fatalf(string, ...any) }, model, precision, machine string, tp int) *physics.Setup {
	m, _ := physics.ModelOf(model)
	p, _ := physics.PrecisionOf(precision)
	h, _ := physics.Machine(machine)
	st, _ := physics.StackOf("vllm")
	s, err := physics.New(physics.Config{Model: m, Precision: p, Hardware: h, Stack: st, TP: tp})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return s
}

func eight(t interface{ Fatalf(string, ...any) }) *physics.Setup {
	return setup(t, "llama-3.1-8b", "bf16", "h100", 1)
}

func TestOneRequestAlone(t *testing.T) {
	s := eight(t)
	r := Run(Options{Setup: s}, Workload{Users: 1, Requests: 1, Prompt: 1000, Output: 10})
	q := r.Done[0]
	if q.Produced != 10 || q.Steps != 10 || q.Admitted != q.Ready {
		t.Fatalf("%+v", q)
	}
	if got := q.Ready - q.Arrive; math.Abs(got-0.015) > 1e-9 {
		t.Errorf("the front end took %v s", got)
	}
	cost := s.Step(&physics.Load{Chunks: []physics.Chunk{{New: 1000, Last: true}}})
	if math.Abs(q.PrefillTime()-cost.Seconds()) > 1e-9 {
		t.Errorf("prefill %v s, the step says %v", q.PrefillTime(), cost.Seconds())
	}
	if sum := q.Ready - q.Arrive + q.QueueTime() + q.PrefillTime(); math.Abs(sum-q.TTFT()) > 1e-12 {
		t.Errorf("the parts of the TTFT give %v, it is %v", sum, q.TTFT())
	}
}

func TestLongPromptsAreCutIntoChunks(t *testing.T) {
	var chunks []int
	o := Options{Setup: eight(t), Budget: 2048, OnStep: func(s *Step) {
		if s.Prefilled > 0 {
			chunks = append(chunks, s.Prefilled)
		}
	}}
	Run(o, Workload{Users: 1, Requests: 1, Prompt: 5000, Output: 2})
	if len(chunks) != 3 || chunks[0] != 2048 || chunks[2] != 5000-4096 {
		t.Errorf("chunks %v", chunks)
	}
}

// A long prompt stretches the neighbour's gaps: the prefill bubble.
func TestPromptSlowsOtherSequences(t *testing.T) {
	longest := func(m Mode) float64 {
		e := New(Options{Setup: eight(t), Mode: m})
		reader := &Request{Prompt: 10, Output: 300}
		if err := e.Submit(0, reader); err != nil {
			t.Fatal(err)
		}
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
					if err := e.Submit(at, &Request{Prompt: 20000, Output: 2}); err != nil {
						t.Fatal(err)
					}
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
	e := New(Options{Setup: &s, Mode: Static, MaxSeqs: 2})
	short, long, next := &Request{Prompt: 10, Output: 5}, &Request{Prompt: 10, Output: 100}, &Request{Prompt: 10, Output: 5}
	for _, r := range []*Request{short, long, next} {
		if err := e.Submit(0, r); err != nil {
			t.Fatal(err)
		}
	}
	drain(e)
	if !(short.Last < long.Last && next.Admitted >= long.Last) {
		t.Errorf("short ended %v, long %v, the next one began %v", short.Last, long.Last, next.Admitted)
	}
}

func TestNoneServesOneAtATime(t *testing.T) {
	e := New(Options{Setup: eight(t), Mode: None})
	a, b := &Request{Prompt: 10, Output: 5}, &Request{Prompt: 10, Output: 5}
	for _, r := range []*Request{a, b} {
		if err := e.Submit(0, r); err != nil {
			t.Fatal(err)
		}
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
	e := New(Options{Setup: eight(t)})
	first, second := &Request{Prompt: 1000, Output: 5, Blocks: hashes}, &Request{Prompt: 1000, Output: 5, Blocks: hashes}
	for _, r := range []*Request{first, second} {
		if err := e.Submit(e.Now(), r); err != nil {
			t.Fatal(err)
		}
		drain(e)
	}
	if first.Cached != 0 || second.Cached != 992 {
		t.Errorf("cached %d and %d of 1000", first.Cached, second.Cached)
	}
	if second.PrefillTime() > first.PrefillTime()/2 {
		t.Errorf("prefill %v, then %v s", first.PrefillTime(), second.PrefillTime())
	}
	if st := e.Stats(); st.KV != 0 || st.CachedTokens != 992 {
		t.Errorf("%+v", st)
	}
}

func TestAWholeCachedPromptStillComputesOneToken(t *testing.T) {
	hashes := []uint64{1, 2}
	e := New(Options{Setup: eight(t)})
	for range 2 {
		r := &Request{Prompt: 32, Output: 2, Blocks: hashes}
		if err := e.Submit(e.Now(), r); err != nil {
			t.Fatal(err)
		}
		drain(e)
		if r.Produced != 2 || r.Cached > 16 {
			t.Errorf("%d tokens, %d cached", r.Produced, r.Cached)
		}
	}
}

// When the cache is full, the last one admitted is thrown out and computes
// everything again; nobody loses a token.
func TestPreemptionRecomputes(t *testing.T) {
	s := *eight(t)
	s.Capacity = 3200
	r := Run(Options{Setup: &s}, Workload{Burst: true, Requests: 5, Prompt: 500, Output: 400})
	if r.Preempted == 0 || r.Requests != 5 || r.Tokens != 5*400 {
		t.Fatalf("%d preempted, %d requests, %d tokens", r.Preempted, r.Requests, r.Tokens)
	}
	if r.Done[0].Preempted != 0 {
		t.Error("the first one was thrown out")
	}
}

func TestWhatDoesNotFitIsRefused(t *testing.T) {
	s := *eight(t)
	s.Capacity = 1600
	e := New(Options{Setup: &s, MaxQueue: 1})
	if err := e.Submit(0, &Request{Prompt: 1500, Output: 200}); !errors.Is(err, ErrTooLong) {
		t.Errorf("too long: %v", err)
	}
	if err := e.Submit(0, &Request{Prompt: 0, Output: 1}); err == nil {
		t.Error("an empty prompt is accepted")
	}
	if err := e.Submit(0, &Request{Prompt: 10, Output: 1}); err != nil {
		t.Error(err)
	}
	if err := e.Submit(0, &Request{Prompt: 10, Output: 1}); !errors.Is(err, ErrQueueFull) {
		t.Errorf("queue: %v", err)
	}
}

func TestSpeculationYieldsWhatIsExpected(t *testing.T) {
	s := setup(t, "llama-3.3-70b", "bf16", "h100", 4)
	c := s.Config
	m, _ := physics.ModelOf("llama-3.1-8b")
	c.Draft = &physics.Draft{Model: &m, Precision: c.Precision, K: 3, Accept: []float64{.8}}
	with, err := physics.New(c)
	if err != nil {
		t.Fatal(err)
	}
	w := Workload{Users: 1, Requests: 4, Prompt: 500, Output: 500}
	plain, fast := Run(Options{Setup: s}, w), Run(Options{Setup: with, Seed: 1}, w)
	per := float64(fast.Tokens) / float64(fast.Steps)
	if want := c.Draft.Expected(); math.Abs(per-want) > 0.08*want {
		t.Errorf("%.2f tokens a step, expected %.2f", per, want)
	}
	if gain := plain.TPOT / fast.TPOT; gain < 1.4 || gain > 2.3 {
		t.Errorf("TPOT %v, with a draft %v: x%.2f", plain.TPOT, fast.TPOT, gain)
	}
	// With many users the check turns into arithmetic, and the gain goes.
	many := Workload{Users: 128, Requests: 256, Prompt: 500, Output: 200}
	if p, f := Run(Options{Setup: s}, many), Run(Options{Setup: with}, many); p.TPOT/f.TPOT > 0.8*plain.TPOT/fast.TPOT {
		t.Errorf("gain with 128 users x%.2f, alone x%.2f", p.TPOT/f.TPOT, plain.TPOT/fast.TPOT)
	}
}

// Batch 1 to 64 of a 7B on an A100: about 14 times the throughput at about
// four times the latency.
func TestTheSeesaw(t *testing.T) {
	s := setup(t, "llama-2-7b", "bf16", "a100-40", 1)
	st, _ := physics.StackOf("bench")
	c := s.Config
	c.Stack = st
	s, err := physics.New(c)
	if err != nil {
		t.Fatal(err)
	}
	run := func(n int) (throughput, latency float64) {
		r := Run(Options{Setup: s, Mode: Static, MaxSeqs: n}, Workload{Burst: true, Requests: n, Prompt: 512, Output: 64})
		return r.Throughput, r.Duration
	}
	t1, l1 := run(1)
	t64, l64 := run(64)
	t.Logf("throughput x%.1f, latency x%.1f", t64/t1, l64/l1)
	if x := t64 / t1; x < 11 || x > 17 {
		t.Errorf("throughput x%.1f, want about 14", x)
	}
	if x := l64 / l1; x < 3.5 || x > 5.5 {
		t.Errorf("latency x%.1f, want about 4", x)
	}
}

func TestTheOverloadedSixtyFour(t *testing.T) {
	s := setup(t, "llama-3.3-70b", "fp8", "h200", 1)
	c := s.Config
	c.Stack, _ = physics.StackOf("nim")
	s, err := physics.New(c)
	if err != nil {
		t.Fatal(err)
	}
	r := Run(Options{Setup: s}, Workload{Users: 64, Prompt: 5000, Output: 500})
	each := 1 / r.TPOT
	t.Logf("%.0f tok/s in all, %.1f each", r.Throughput, each)
	if each < 6 || each > 9.5 || r.Throughput < 380 || r.Throughput > 560 {
		t.Errorf("%.0f tok/s in all, %.1f each; want about 455 and 7.7", r.Throughput, each)
	}
}
