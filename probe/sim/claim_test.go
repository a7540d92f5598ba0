package sim

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/sim/physics"
)

func TestClaim(t *testing.T) {
	for _, c := range []struct {
		machine, size, model, on string
		bandwidth, weights       float64 // GB/s, GB
		cache                    float64 // bytes a token of context
		step                     int
	}{
		{"rtx4090", "8b-q4", "8b-q4", "RTX 4090", 1008, 4.365, 0, 1},
		{"4090", "30b-a3b-q4", "30b-a3b-q4", "RTX 4090", 1008, 1.637, 0, 1},
		{"RTX4090", "Llama-3.1-8B-q4", "Llama 3.1 8B Q4_K_M", "RTX 4090", 1008, 4.66, 131072, 1},
		{"2xh100", "70b-fp8", "70b-fp8", "2 x H100", 6700, 63, 0, 1},
		{"2xh100+kv-fp8", "llama-3.3-70b-fp8", "Llama 3.3 70B fp8", "2 x H100", 6700, 70.6, 163840, 1},
		{"2xh100+draft:eagle3:3", "llama-3.3-70b-fp8", "Llama 3.3 70B fp8", "2 x H100", 6700, 70.6, 327680, 4},
		{"8xh200", "deepseek-r1", "DeepSeek R1 fp8", "8 x H200", 38400, 37.6, 8 * 70272, 1},
	} {
		got, err := Claim(nil, c.machine, c.size)
		if err != nil {
			t.Errorf("%s on %s: %v", c.size, c.machine, err)
			continue
		}
		if got.Model != c.model || got.Machine != c.on || got.Bandwidth != c.bandwidth || got.Step != c.step ||
			math.Abs(got.Weights/c.weights-1) > .01 || math.Abs(got.Cache-c.cache) > 1 {
			t.Errorf("%s on %s: %+v", c.size, c.machine, *got)
		}
	}
	if got := testkit.Must(Claim(nil, "h100", "gpt-oss-20b"))(t); got.Cache != 24576 {
		t.Errorf("half of the layers keep the whole context: %+v", *got)
	}
	for pair, words := range map[string]string{
		"rtx409 8b-q4":              "did you mean rtx4090?",
		"rtx4090 8b":                `model size "8b" has no precision: 8b-q4,`,
		"rtx4090 abc":               "known are llama-3.1-8b, llama-3.3-70b",
		"rtx4090 8b-q5":             "known are bf16",
		"rtx4090 8b-a9b-q4":         "at most all",
		"rtx4090 0b-q4":             "some of its parameters",
		"rtx4090 70b-q4":            "38 GB of weights, 26 GB of memory",
		"rtx4090 llama-3.3-70b-fp8": "GiB of weights",
		"rtx4090 lama-3.1-8b":       "did you mean llama-3.1-8b?",
		"cerebras 8b-q4":            "no bandwidth bounds its speed",
		"groq llama-3.1-8b":         "no bandwidth bounds its speed",
		"16xrtx4090 llama-3.1-8b":   "groups of at most 8",
		" ":                         "hardware",
	} {
		machine, size, _ := strings.Cut(pair, " ")
		if c, err := Claim(nil, machine, size); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v, %+v", pair, err, c)
		}
	}
	if _, err := Claim(nil, strings.Repeat("x", 5000), strings.Repeat("9", 5000)); err == nil || len(err.Error()) > 2000 {
		t.Errorf("a long name: %.80v", err)
	}
}

// TestSizeBoundsItsModels holds that the bound of a size is none too low: it is at least
// that of each model that is called so, behind an empty context.
func TestSizeBoundsItsModels(t *testing.T) {
	size, n := regexp.MustCompile(`[0-9.]+b(-a[0-9.]+b)?$`), 0
	for _, m := range physics.Models {
		called := size.FindString(m.Key)
		if called == "" || m.Experts > 0 && !strings.Contains(called, "-a") { // gpt-oss says half of it
			continue
		}
		for _, precision := range []string{"bf16", "q4"} {
			named, err := Claim(nil, "8xb300", m.Key+"-"+precision)
			if err != nil {
				continue // its heads do not divide
			}
			sized := testkit.Must(Claim(nil, "8xb300", called+"-"+precision))(t)
			n++
			if sized.Bound(0) < named.Bound(0) || sized.Cache != 0 {
				t.Errorf("%s-%s: %.0f tok/s, and for %s %.0f", called, precision, sized.Bound(0), m.Name, named.Bound(0))
			}
		}
	}
	testkit.That(t, n >= 30, "%d models", n)
}

// TestEngineIsWithinItsClaim holds that the bound is one: every machine with every model
// and precision that fit, alone and in a group, decodes below it at every context, and
// nothing that is 1.3 times as fast as the bound is plausible.
func TestEngineIsWithinItsClaim(t *testing.T) {
	pairs, most := 0, 0.0
	for _, h := range physics.Machines {
		for _, m := range physics.Models {
			for _, p := range physics.Precisions {
				for _, devices := range []int{1, 2, 8} {
					machine, model := fmt.Sprintf("%dx%s", devices, h.Key), m.Key+"-"+p.Key
					c, err := Claim(nil, machine, model)
					if err != nil {
						continue
					}
					config, _, err := ParseID(nil, model+"@"+machine)
					testkit.OK(t, err)
					pairs++
					share := within(t, testkit.Must(physics.New(config))(t), c)
					if h.Key != "1tb" { // an ideal one, which is at its bound
						most = max(most, share)
					}
				}
			}
		}
	}
	t.Logf("%d pairs, the fastest at %.2f of its bound", pairs, most)
	testkit.That(t, pairs >= 10_000 && most >= .7,
		"%d pairs, the fastest at %.2f of its bound: the bound binds nothing", pairs, most)
}

// within checks the decode of s at some contexts, and returns its largest share of the
// bound.
func within(t *testing.T, s *physics.Setup, c *metrics.Claim) (most float64) {
	judged := func(context int, speed float64) *metrics.Claimed {
		r := metrics.Run{Stream: metrics.Stream{Endpoint: metrics.Endpoint{Claim: c}}}
		r.Figures.PromptTokens, r.Figures.Speed = metrics.Known(float64(context), 0), metrics.Known(speed, 0)
		return metrics.JudgeClaim([]*metrics.Run{&r})
	}
	for _, context := range []int{1, 1000, 30_000} {
		if context > s.Longest() {
			break
		}
		step := s.Step(&physics.Load{Seqs: 1, Ctx: int64(context), WinCtx: int64(min(context, s.Model.Reach()))})
		got := judged(context, 1/step.Seconds())
		testkit.That(t, got.Is == metrics.ClaimPlausible,
			"%s on %s behind %d tokens: %.3f of the bound", c.Model, c.Machine, context, got.Share.P50.V)
		most = max(most, got.Share.P50.V)
		beyond := judged(context, 1.3*got.Bound.V)
		testkit.That(t, beyond.Is == metrics.ClaimAbove, "%s on %s: 1.3 times the bound is %s", c.Model, c.Machine, beyond.Is)
	}
	return most
}
