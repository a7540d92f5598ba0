package physics

import (
	"testing"

	"tokscope/metrics/testkit"
)

// No step exceeds the memory bandwidth or the widest arithmetic of its
// machine. That holds for every machine and precision, with and without a
// draft. A step with a batch computes something.
func TestNoStepUsesMoreThanThereIs(t *testing.T) {
	loads := map[string]*Load{
		"one user":    {Seqs: 1, Ctx: 500, WinCtx: 128},
		"64 users":    {Seqs: 64, Ctx: 64 * 2000, WinCtx: 64 * 128},
		"a prompt":    {Chunks: []Chunk{{New: 4096, Last: true}}},
		"a late part": {Chunks: []Chunk{{New: 16, Cached: 30000}}},
		"both": {Seqs: 32, Ctx: 32 * 1000, WinCtx: 32 * 128, Chunks: []Chunk{{New: 512, Cached: 100},
			{New: 1500, Last: true}}},
	}
	setups := 0
	for _, h := range Machines {
		for _, m := range Models {
			for _, p := range Precisions {
				for _, draft := range []*Draft{nil, {K: 3, Head: .05, Accept: []float64{.7}}} {
					stack, _ := StackOf("bench")
					if h.Flow != nil {
						stack, _ = StackOf("flow")
					}
					s, err := New(Config{Hardware: h, Model: m, Precision: p, Stack: stack, Draft: draft})
					if err != nil {
						continue // does not fit
					}
					setups++
					for name, l := range loads {
						c := s.Step(l)
						bandwidth, compute := s.Used(&c)
						peak := max(1, h.FP8/h.BF16, h.FP4/h.BF16)
						if !(bandwidth >= 0 && bandwidth <= 1.0001) || !(compute > 0 && compute <= peak) {
							t.Errorf("%s %s on %d x %s, %s: %.3f of the bandwidth, %.3f of the arithmetic", m.Key, p.Key, s.TP, h.Key, name,
								bandwidth, compute)
						}
						testkit.That(t, h.Flow != nil || bandwidth != 0, "%s %s on %s, %s: nothing is read", m.Key, p.Key, h.Key, name)
						least := 2 * float64(c.Tokens) * (m.Active() - s.Params.Head)
						if c.FLOPs() < least*.999 {
							t.Errorf("%s on %s, %s: %v FLOP, the weights alone are %v", m.Key, h.Key, name, c.FLOPs(), least)
						}
					}
				}
			}
		}
	}
	testkit.That(t, setups >= 500, "%d setups", setups)
}

func TestWhichChangesKeepTheCache(t *testing.T) {
	base := config(t, "llama-3.1-8b", "bf16", "h100", "vllm", 1)
	s := must(t, base)
	with := base
	with.Draft = &Draft{K: 3, Head: .05, Accept: []float64{.7}}
	testkit.That(t, s.SameCache(must(t, base)) && s.SameCache(must(t, with)),
		"the same setup, or a draft, makes the cache useless")
	ahead := base
	ahead.Stack.Async = true
	testkit.That(t, s.SameCache(must(t, ahead)), "a scheduler that works ahead makes the cache useless")
	narrow, piped := base, config(t, "llama-3.1-8b", "bf16", "h100", "vllm", 2)
	narrow.KV, piped.Sharing = "fp8", Pipeline
	for name, c := range map[string]Config{
		"format of the cache": narrow, "sharing": piped,
		"model": config(t, "qwen3-8b", "bf16", "h100", "vllm", 1), "precision": config(t, "llama-3.1-8b", "fp8", "h100",
			"vllm", 1),
		"hardware": config(t, "llama-3.1-8b", "bf16", "h200", "vllm", 1), "software": config(t, "llama-3.1-8b", "bf16",
			"h100", "nim", 1),
		"group": config(t, "llama-3.1-8b", "bf16", "h100", "vllm", 2),
	} {
		testkit.That(t, !s.SameCache(must(t, c)), "another %s keeps the cache", name)
	}
	deep := config(t, "deepseek-r1", "fp8", "h200", "vllm", 8)
	testkit.That(t, must(t, deep).SameCache(must(t, deep)), "latent attention makes the cache useless")
}
