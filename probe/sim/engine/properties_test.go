package engine

import (
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
	"tokscope/probe/sim/physics"
)

// pairs are setups that behave differently: dense, large batch, experts,
// windows, states, sparse attention, and groups that share by experts or layers.
func pairs(t interface{ Fatalf(string, ...any) }) []*physics.Setup {
	return []*physics.Setup{
		eight(t),
		setup(t, "llama-2-7b", "bf16", "a100-40", 1),
		setup(t, "gpt-oss-20b", "mxfp4", "h100", 1),
		setup(t, "llama-3.3-70b", "fp8", "h100", 2),
		setup(t, "deepseek-r1", "fp8", "h200", 8),
		setup(t, "gemma-3-12b", "bf16", "h100", 1),
		setup(t, "qwen3-next-80b-a3b", "fp8", "h200", 1),
		setup(t, "deepseek-v3.2", "fp8", "h200", 8),
		sharing(t, "deepseek-r1", "fp8", "h200", 8, physics.Expert),
		sharing(t, "llama-3.3-70b", "fp8", "h100", 4, physics.Pipeline),
	}
}

// In every mode, for any requests, every request ends with exactly its
// tokens, in order of time. The cache is empty afterwards.
func TestTokensAreConservedAndNobodyStarves(t *testing.T) {
	all := pairs(t)
	rapid.Check(t, func(t *rapid.T) {
		s := *rapid.SampledFrom(all).Draw(t, "setup")
		s.Capacity = (rapid.IntRange(2000, 20000).Draw(t, "capacity")/physics.Block + s.Blocks(1000) - 63) * physics.Block
		if rapid.Bool().Draw(t, "draft") {
			s.Draft = &physics.Draft{K: rapid.IntRange(1, 5).Draw(t, "k"), Head: .05,
				Accept: []float64{rapid.Float64Range(0, 1).Draw(t, "a")}}
		}
		mode := Mode(rapid.IntRange(0, int(numModes)-1).Draw(t, "mode"))
		e := New(Options{Config: Config{Setup: &s, Mode: mode, Budget: rapid.IntRange(16, 4096).Draw(t, "budget"),
			MaxSeqs: rapid.IntRange(1, 64).Draw(t, "seqs")}})
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
			testkit.OK(t, e.Submit(now, r))
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
			testkit.Given(t, steps <= 200000, "it does not end")
			e.Advance(at)
		}
		got := 0
		for _, r := range all {
			testkit.Given(t, r.Finished && r.Produced == r.Output, "a request ended with %d of %d tokens", r.Produced, r.Output)
			if !(r.Arrive <= r.Ready && r.Ready <= r.Admitted && r.Admitted < r.First && r.First <= r.Last &&
				r.Prefill > 0 && r.Admitted-r.Ready <= r.Queued()+1e-9 && r.Ready+r.Queued()+r.Prefill < r.First+1e-9) {
				t.Fatalf("times out of order: %+v", r)
			}
			got += r.Produced
		}
		testkit.Need(t, got, asked, "tokens asked for, produced")
		for _, l := range e.lanes {
			testkit.Given(t, l.kv.used == 0 && len(l.running) == 0,
				"%d blocks held by %d sequences after the end", l.kv.used, len(l.running))
		}
	})
}
