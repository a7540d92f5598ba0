package physics

import (
	"errors"
	"testing"

	"tokscope/metrics"
)

// judged says what a claim makes of an answer of that speed behind context tokens.
func judged(c *metrics.Claim, context int, speed, prompt float64) *metrics.Claimed {
	r := metrics.Run{Stream: metrics.Stream{Endpoint: metrics.Endpoint{Claim: c}}}
	f := &r.Figures
	f.PromptTokens, f.Speed, f.PrefillSpeed = metrics.Known(float64(context), 0), metrics.Known(speed, 0), metrics.Known(prompt, 0)
	return metrics.JudgeClaim([]*metrics.Run{&r})
}

// TestEngineIsWithinItsClaim holds that the bound is one: every machine with every model
// that fits, alone and in a group, decodes and reads prompts below it at every context,
// and nothing that is 1.3 times as fast as the bound is plausible.
func TestEngineIsWithinItsClaim(t *testing.T) {
	pairs, most := 0, 0.0
	for _, h := range Machines {
		for _, m := range Models {
			for _, p := range Precisions {
				for _, tp := range []int{1, 2, 8} {
					stack, _ := StackOf("vllm")
					if p.Key == "q4" || p.Key == "q8" || h.MaxTP == 1 {
						stack, _ = StackOf("llama.cpp")
					}
					s, err := New(Config{Hardware: h, Model: m, Precision: p, Stack: stack, TP: tp})
					if err != nil {
						continue
					}
					c, err := s.Claim()
					if h.Flow != nil {
						if fit := (*FitError)(nil); !errors.As(err, &fit) {
							t.Fatalf("%s: a claim on a dataflow machine: %v", h.Key, err)
						}
						continue
					}
					if err != nil {
						t.Fatal(err)
					}
					pairs++
					most = max(most, within(t, s, c))
				}
			}
		}
	}
	t.Logf("%d pairs, the fastest at %.2f of its bound", pairs, most)
	if pairs < 1000 || most < .7 {
		t.Errorf("%d pairs, the fastest at %.2f of its bound: the bound binds nothing", pairs, most)
	}
}

// within checks the decode and the prefill of s at some contexts, and returns its
// largest share of the bound.
func within(t *testing.T, s *Setup, c *metrics.Claim) (most float64) {
	t.Helper()
	for _, context := range []int{1, 1000, 30_000} {
		if context > s.Longest() {
			break
		}
		decode := s.Step(&Load{Seqs: 1, Ctx: int64(context), WinCtx: int64(min(context, s.Model.Reach()))})
		prefill := s.Step(&Load{Chunks: []Chunk{{New: context, Last: true}}})
		got := judged(c, context, 1/decode.Seconds(), float64(context)/prefill.Seconds())
		if got.Is != metrics.ClaimPlausible || c.Prompt > 0 && got.Reads != metrics.ClaimPlausible {
			t.Errorf("%s behind %d tokens: %.3f of the memory's bound, %.3f of the arithmetic's",
				c.Model+" on "+c.Machine, context, got.Share.P50.V, got.ReadShare.P50.V)
		}
		most = max(most, got.Share.P50.V)
		beyond := judged(c, context, 1.3*got.Bound.V, 1.3*c.Prompt)
		if beyond.Is != metrics.ClaimAbove || c.Prompt > 0 && beyond.Reads != metrics.ClaimAbove {
			t.Errorf("%s: 1.3 of the bound is %s, %s", c.Model, beyond.Is, beyond.Reads)
		}
	}
	return most
}
