package engine

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
)

// TestSlowerFromAMoment: before the moment nothing changes, and after it the
// prompt of a lone request takes exactly the factor longer, its decodes as long as
// before. Slower decodes leave prompts alone.
func TestSlowerFromAMoment(t *testing.T) {
	s := eight(t)
	rapid.Check(t, func(t *rapid.T) {
		from, until := rapid.Float64Range(5, 30).Draw(t, "from"), rapid.Float64Range(35, 60).Draw(t, "until")
		factor := Slowness{rapid.Float64Range(1, 5).Draw(t, "prefill"), rapid.Float64Range(1, 5).Draw(t, "decode")}
		prompt, output := rapid.IntRange(10, 30_000).Draw(t, "prompt"), rapid.IntRange(2, 60).Draw(t, "output")
		slow := func(at float64) Slowness {
			if at >= from && at < until {
				return factor
			}
			return Slowness{1, 1}
		}
		play := func(o Options) (out []Request) {
			o.Setup = s
			e := New(o)
			for i := range 4 { // one each 20 s: none meets another
				r := &Request{Prompt: prompt, Output: output}
				testkit.OK(t, e.Submit(float64(20*i), r))
				drain(e)
				out = append(out, *r)
			}
			return out
		}
		plain, slowed := play(Options{}), play(Options{Slow: slow})
		for i := range plain {
			a, b := &plain[i], &slowed[i]
			want := Slowness{1, 1}
			switch {
			case b.Admitted >= from && b.Last < until:
				want = factor
			case b.Last >= from && b.Admitted < until:
				continue // the moment falls into it
			case a.First != b.First || a.Last != b.Last:
				t.Fatalf("request %d is outside of the slow time: %v to %v, slowed %v to %v", i, a.First, a.Last, b.First, b.Last)
			}
			near := func(what string, got, plain, factor float64) {
				testkit.Given(t, math.Abs(got-factor*plain) <= 1e-9*(1+factor*plain),
					"request %d: %s took %v, plain %v, factor %v", i, what, got, plain, factor)
			}
			near("its prompt", b.First-b.Admitted, a.First-a.Admitted, want.Prefill)
			near("its decodes", b.Last-b.First, a.Last-a.First, want.Decode)
		}
	})
}

// TestSlowedPartOfAMixedStep: a step of decodes and prompts is longer by the part
// that its prompts add.
func TestSlowedPartOfAMixedStep(t *testing.T) {
	mixed := 0
	e := New(Options{Config: Config{Setup: eight(t)},
		Slow: func(float64) Slowness { return Slowness{Prefill: 3, Decode: 1} },
		OnStep: func(s *Step) {
			cost := s.Cost.Seconds()
			switch {
			case math.Abs(s.End-s.Start-cost-s.Slowed) > 1e-12:
				t.Errorf("step %d: %v s, cost %v and %v", s.Number, s.End-s.Start, cost, s.Slowed)
			case s.Prefills == 0 && s.Slowed != 0, s.Decodes == 0 && math.Abs(s.Slowed-2*cost) > 1e-12:
				t.Errorf("step %d: %d decodes, %d prompts, %v s longer than %v", s.Number, s.Decodes, s.Prefills, s.Slowed, cost)
			case s.Decodes > 0 && s.Prefills > 0:
				if mixed++; !(s.Slowed > 0 && s.Slowed < 2*cost) {
					t.Errorf("mixed step %d: %v s longer than %v", s.Number, s.Slowed, cost)
				}
			}
		}})
	for _, r := range []*Request{{Prompt: 100, Output: 50}, {Prompt: 5000, Output: 5}} {
		testkit.OK(t, e.Submit(e.Now(), r))
		for r.Produced == 0 {
			at, _ := e.Next()
			e.Advance(at)
		}
	}
	drain(e)
	testkit.That(t, mixed != 0, "no step was mixed")
}
