package engine

import (
	"testing"

	"pgregory.net/rapid"

	"tokscope/probe/sim/physics"
)

// pairs are setups that behave differently: dense, large batch, experts,
// dataflow.
func pairs(t interface{ Fatalf(string, ...any) }) []*physics.Setup {
	return []*physics.Setup{
		eight(t),
		setup(t, "llama-2-7b", "bf16", "a100-40", 1),
		setup(t, "gpt-oss-20b", "mxfp4", "h100", 1),
		setup(t, "llama-3.3-70b", "fp8", "h100", 2),
		setup(t, "deepseek-r1", "fp8", "h200", 8),
	}
}

// In every mode, for any requests, every request ends with exactly its
// tokens, in order of time. The cache is empty afterwards.
func TestTokensAreConservedAndNobodyStarves(t *testing.T) {
	all := pairs(t)
	rapid.Check(t, func(t *rapid.T) {
		s := *rapid.SampledFrom(all).Draw(t, "setup")
		s.Capacity = rapid.IntRange(2000, 20000).Draw(t, "capacity") / physics.Block * physics.Block
		if rapid.Bool().Draw(t, "draft") {
			s.Draft = &physics.Draft{K: rapid.IntRange(1, 5).Draw(t, "k"), Head: .05, Accept: []float64{rapid.Float64Range(0, 1).Draw(t, "a")}}
		}
		mode := Mode(rapid.IntRange(0, int(numModes)-1).Draw(t, "mode"))
		e := New(Options{Setup: &s, Mode: mode, Budget: rapid.IntRange(16, 4096).Draw(t, "budget"), MaxSeqs: rapid.IntRange(1, 64).Draw(t, "seqs")})
		var all []*Request
		asked, now := 0, 0.0
		for range rapid.IntRange(1, 40).Draw(t, "requests") {
			r := &Request{Prompt: rapid.IntRange(1, 900).Draw(t, "prompt"), Output: rapid.IntRange(1, 100).Draw(t, "output")}
			for i := range r.Prompt / physics.Block {
				r.Blocks = append(r.Blocks, uint64(i+1))
			}
			now += rapid.Float64Range(0, .05).Draw(t, "pause")
			for at, busy := e.Next(); busy && at < now; at, busy = e.Next() {
				e.Advance(at)
			}
			if err := e.Submit(now, r); err != nil {
				t.Fatal(err)
			}
			if rapid.IntRange(0, 9).Draw(t, "cancel") == 0 {
				if at, busy := e.Next(); busy {
					e.Advance(at)
				}
				e.Cancel(r)
				continue
			}
			all = append(all, r)
			asked += r.Output
		}
		for steps := 0; ; steps++ {
			at, busy := e.Next()
			if !busy {
				break
			}
			if steps > 200000 {
				t.Fatal("it does not end")
			}
			e.Advance(at)
		}
		got := 0
		for _, r := range all {
			if !r.Finished || r.Produced != r.Output {
				t.Fatalf("a request ended with %d of %d tokens", r.Produced, r.Output)
			}
			if !(r.Arrive <= r.Ready && r.Ready <= r.Admitted && r.Admitted < r.First && r.First <= r.Last) {
				t.Fatalf("times out of order: %+v", r)
			}
			got += r.Produced
		}
		if got != asked {
			t.Fatalf("%d tokens asked for, %d produced", asked, got)
		}
		for _, l := range e.lanes {
			if l.kv.used != 0 || len(l.running) != 0 {
				t.Fatalf("%d blocks held by %d sequences after the end", l.kv.used, len(l.running))
			}
		}
	})
}

// Up to the point where the cache runs out, more users mean less for each and
// more in all.
func TestTheSeesawIsMonotone(t *testing.T) {
	for _, s := range pairs(t) {
		each, all := 1e18, 0.0
		for _, n := range []int{1, 2, 4, 8, 16, 32, 64} {
			if n*600 > s.Capacity {
				break
			}
			r := Run(Options{Setup: s}, Workload{Users: n, Prompt: 400, Output: 150})
			if v := 1 / r.TPOT; v > each*1.005 {
				t.Errorf("%s on %s: %d users get %.1f tok/s each, fewer got %.1f", s.Model.Name, s.Hardware.Name, n, v, each)
			} else {
				each = v
			}
			if r.Throughput < all*0.995 {
				t.Errorf("%s on %s: %d users give %.0f tok/s, fewer gave %.0f", s.Model.Name, s.Hardware.Name, n, r.Throughput, all)
			}
			all = r.Throughput
		}
	}
}

// The wait grows at least in proportion to the prompt, once the fixed part is
// taken off.
func TestTheWaitGrowsWithThePrompt(t *testing.T) {
	for _, s := range pairs(t) {
		prefill := func(n int) float64 {
			r := Run(Options{Setup: s, Budget: 1 << 20}, Workload{Users: 1, Requests: 1, Prompt: n, Output: 1})
			return r.Done[0].PrefillTime()
		}
		if s.Capacity < 20000 {
			continue
		}
		a, b, c := prefill(4000), prefill(8000), prefill(16000)
		if c-b < 2*(b-a)*0.999 {
			t.Errorf("%s on %s: 4000 tokens %v s, 8000 %v, 16000 %v", s.Model.Name, s.Hardware.Name, a, b, c)
		}
	}
}

func TestTheSameSeedGivesTheSameSteps(t *testing.T) {
	s := *eight(t)
	s.Draft = &physics.Draft{K: 3, Head: .05, Accept: []float64{.7}}
	run := func(seed uint64) (trace []float64) {
		o := Options{Setup: &s, Seed: seed, OnStep: func(st *Step) { trace = append(trace, st.End, float64(st.Tokens)) }}
		Run(o, Workload{Rate: 20, Requests: 50, Prompt: 300, Output: 80, Vary: .6, Seed: 9})
		return trace
	}
	a, b, c := run(5), run(5), run(6)
	if len(a) != len(b) {
		t.Fatalf("%d and %d numbers", len(a), len(b))
	}
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("the traces part at %d: %v and %v", i, a[i], b[i])
		}
	}
	same := len(a) == len(c)
	for i := 0; same && i < len(a); i++ {
		same = a[i] == c[i]
	}
	if same {
		t.Error("another seed changes nothing")
	}
}
