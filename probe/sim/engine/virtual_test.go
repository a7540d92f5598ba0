package engine_test

import (
	"math"
	"slices"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/enginetest"
	"tokscope/probe/sim/physics"
)

// of has the defaults of a setup.
func of(s *physics.Setup) engine.Options { return engine.Options{Config: engine.Config{Setup: s}} }

func TestOneRequestAlone(t *testing.T) {
	s := engine.Eight(t)
	r := enginetest.Run(t, of(s), engine.Workload{Users: 1, Requests: 1, Prompt: 1000, Output: 10})
	q := r.Done[0]
	testkit.Given(t, q.Produced == 10 && q.Steps == 10 && q.Admitted == q.Ready, "%+v", q)
	got := q.Ready - q.Arrive
	testkit.That(t, math.Abs(got-0.015) <= 1e-9, "the front end took %v s", got)
	cost := s.Step(&physics.Load{Chunks: []physics.Chunk{{New: 1000, Last: true}}})
	testkit.That(t, math.Abs(q.Prefill-cost.Seconds()) <= 1e-9,
		"prefill %v s, the step says %v", q.Prefill, cost.Seconds())
	if sum := q.Ready - q.Arrive + q.Queued() + q.Prefill; math.Abs(sum-q.TTFT()) > 1e-12 {
		t.Errorf("the parts of the TTFT give %v, it is %v", sum, q.TTFT())
	}
}

func TestLongPromptsAreCutIntoChunks(t *testing.T) {
	var chunks []int
	o := engine.Options{Config: engine.Config{Setup: engine.Eight(t), Budget: 2048}, OnStep: func(s *engine.Step) {
		if s.Prefilled > 0 {
			chunks = append(chunks, s.Prefilled)
		}
	}}
	enginetest.Run(t, o, engine.Workload{Users: 1, Requests: 1, Prompt: 5000, Output: 2})
	testkit.That(t, len(chunks) == 3 && chunks[0] == 2048 && chunks[2] == 5000-4096, "chunks %v", chunks)
}

// Software that cuts no prompt to fill a step lets one that does not fit beside
// others wait. A prompt that is alone is cut where it has to be.
func TestWholePromptsWaitForTheNextStep(t *testing.T) {
	for _, c := range []struct {
		whole  bool
		prompt int
		first  []int // tokens of prompts in the first steps; the first prompt is there before the others
	}{{false, 1500, []int{1500, 2048, 2048, 404}}, {true, 1500, []int{1500, 1500, 1500, 1500}},
		{true, 1000, []int{1000, 2000, 1000}}, {true, 2500, []int{2048, 452}}} {
		var chunks []int
		s := *engine.Eight(t)
		s.Stack.Whole = c.whole
		o := engine.Options{Config: engine.Config{Setup: &s, Budget: 2048}, OnStep: func(s *engine.Step) {
			if s.Prefilled > 0 {
				chunks = append(chunks, s.Prefilled)
			}
		}}
		enginetest.Run(t, o, engine.Workload{Burst: true, Requests: 4, Prompt: c.prompt, Output: 1})
		testkit.That(t, len(chunks) >= len(c.first) && slices.Equal(chunks[:len(c.first)], c.first),
			"whole %v, prompts of %d: steps with %v tokens, want %v", c.whole, c.prompt, chunks, c.first)
	}
}

// When the cache is full, the last one admitted is preempted and computes
// everything again; nobody loses a token.
func TestPreemptionRecomputes(t *testing.T) {
	s := *engine.Eight(t)
	s.Capacity = 3200
	r := enginetest.Run(t, of(&s), engine.Workload{Burst: true, Requests: 5, Prompt: 500, Output: 400})
	testkit.Given(t, r.Preempted != 0 && r.Requests == 5 && r.Tokens == 5*400,
		"%d preempted, %d requests, %d tokens", r.Preempted, r.Requests, r.Tokens)
	testkit.Is(t, r.Done[0].Preempted, 0, "the first one was preempted")
}

func TestSpeculationYieldsWhatIsExpected(t *testing.T) {
	s := engine.SetupOf(t, "llama-3.3-70b", "bf16", "h100", 4)
	c := s.Config
	m, _ := physics.ModelOf("llama-3.1-8b")
	c.Draft = &physics.Draft{Model: &m, Precision: c.Precision, K: 3, Accept: []float64{.8}}
	with := testkit.Must(physics.New(c))(t)
	w := engine.Workload{Users: 1, Requests: 4, Prompt: 500, Output: 500}
	o := of(with)
	o.Seed = 1
	plain, fast := enginetest.Run(t, of(s), w), enginetest.Run(t, o, w)
	per := float64(fast.Tokens) / float64(fast.Steps)
	want := c.Draft.Expected()
	testkit.That(t, math.Abs(per-want) <= 0.08*want, "%.2f tokens a step, expected %.2f", per, want)
	gain := plain.TPOT / fast.TPOT
	testkit.That(t, gain >= 1.4 && gain <= 2.3, "TPOT %v, with a draft %v: x%.2f", plain.TPOT, fast.TPOT, gain)
	// With many users the check turns into arithmetic, and the gain goes.
	many := engine.Workload{Users: 128, Requests: 256, Prompt: 500, Output: 200}
	if p, f := enginetest.Run(t, of(s), many), enginetest.Run(t, of(with),
		many); p.TPOT/f.TPOT > 0.8*plain.TPOT/fast.TPOT {
		t.Errorf("gain with 128 users x%.2f, alone x%.2f", p.TPOT/f.TPOT, plain.TPOT/fast.TPOT)
	}
}

// Batch 1 to 64 of a 7B on an A100: about 14 times the throughput at about
// four times the latency.
func TestTheSeesaw(t *testing.T) {
	s := engine.SetupOf(t, "llama-2-7b", "bf16", "a100-40", 1)
	st, _ := physics.StackOf("bench")
	c := s.Config
	c.Stack = st
	s = testkit.Must(physics.New(c))(t)
	run := func(n int) (throughput, latency float64) {
		r := enginetest.Run(t, engine.Options{Config: engine.Config{Setup: s, Mode: engine.Static, MaxSeqs: n}},
			engine.Workload{Burst: true, Requests: n, Prompt: 512, Output: 64})
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
	s := engine.SetupOf(t, "llama-3.3-70b", "fp8", "h200", 1)
	c := s.Config
	c.Stack, _ = physics.StackOf("nim")
	s = testkit.Must(physics.New(c))(t)
	r := enginetest.Run(t, of(s), engine.Workload{Users: 64, Prompt: 5000, Output: 500})
	each := 1 / r.TPOT
	t.Logf("%.0f tok/s aggregate, %.1f per user", r.Throughput, each)
	testkit.That(t, each >= 6 && each <= 9.5 && r.Throughput >= 380 && r.Throughput <= 560,
		"%.0f tok/s aggregate, %.1f per user; want about 455 and 7.7", r.Throughput, each)
}

// Up to the point where the cache runs out, more users mean a lower speed
// per user and a higher aggregate.
func TestTheSeesawIsMonotone(t *testing.T) {
	for _, s := range engine.Pairs(t) {
		each, all := 1e18, 0.0
		for _, n := range []int{1, 2, 4, 8, 16, 32, 64} {
			if n*600 > s.Capacity {
				break
			}
			r := enginetest.Run(t, of(s), engine.Workload{Users: n, Prompt: 400, Output: 150})
			if v := 1 / r.TPOT; v > each*1.005 {
				t.Errorf("%s on %s: %d users get %.1f tok/s each, fewer got %.1f", s.Model.Name, s.Hardware.Name, n, v, each)
			} else {
				each = v
			}
			testkit.That(t, r.Throughput >= all*0.995,
				"%s on %s: %d users give %.0f tok/s, fewer gave %.0f", s.Model.Name, s.Hardware.Name, n, r.Throughput, all)
			all = r.Throughput
		}
	}
}

// The wait grows at least in proportion to the prompt, once the fixed part is
// taken off.
func TestTheWaitGrowsWithThePrompt(t *testing.T) {
	for _, s := range engine.Pairs(t) {
		prefill := func(n int) float64 {
			r := enginetest.Run(t, engine.Options{Config: engine.Config{Setup: s, Budget: 1 << 20}},
				engine.Workload{Users: 1, Requests: 1, Prompt: n, Output: 1})
			return r.Done[0].Prefill
		}
		if s.Capacity < 20000 {
			continue
		}
		a, b, c := prefill(4000), prefill(8000), prefill(16000)
		testkit.That(t, c-b >= 2*(b-a)*0.999,
			"%s on %s: 4000 tokens %v s, 8000 %v, 16000 %v", s.Model.Name, s.Hardware.Name, a, b, c)
	}
}

func TestTheSameSeedGivesTheSameSteps(t *testing.T) {
	s := *engine.Eight(t)
	s.Draft = &physics.Draft{K: 3, Head: .05, Accept: []float64{.7}}
	run := func(seed uint64) (trace []float64) {
		o := engine.Options{Config: engine.Config{Setup: &s}, Seed: seed,
			OnStep: func(st *engine.Step) { trace = append(trace, st.End, float64(st.Tokens)) }}
		enginetest.Run(t, o, engine.Workload{Rate: 20, Requests: 50, Prompt: 300, Output: 80, Vary: .6, Seed: 9})
		return trace
	}
	a, b, c := run(5), run(5), run(6)
	testkit.Need(t, len(a), len(b), "and … numbers")
	for i := range a {
		testkit.Need(t, a[i], b[i], "the traces part at", i)
	}
	same := len(a) == len(c)
	for i := 0; same && i < len(a); i++ {
		same = a[i] == c[i]
	}
	testkit.That(t, !same, "another seed changes nothing")
}
