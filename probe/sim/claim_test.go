package sim

import (
	"math"
	"regexp"
	"strings"
	"testing"

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
	if got, _ := Claim(nil, "h100", "gpt-oss-20b"); got.Reach != 128 || got.Near != got.Cache {
		t.Errorf("half of the layers have a window: %+v", *got)
	}
	if got, _ := Claim(nil, "m3max", "llama-3.1-8b-q4"); got.Prompt != 0 {
		t.Errorf("no data sheet has the arithmetic of %s: %v", got.Machine, got.Prompt)
	}
	for pair, words := range map[string]string{
		"rtx409 8b-q4":              "did you mean rtx4090?",
		"rtx4090 8b":                "add a precision, such as 8b-q4",
		"rtx4090 8b-q5":             "known are bf16",
		"rtx4090 8b-a9b-q4":         "at most all",
		"rtx4090 0b-q4":             "more than none",
		"rtx4090 70b-q4":            "36 GiB of weights, 24 GiB of memory",
		"rtx4090 llama-3.3-70b-fp8": "GiB of weights",
		"rtx4090 lama-3.1-8b":       "did you mean llama-3.1-8b?",
		"cerebras 8b-q4":            "no bandwidth bounds its speed",
		"groq llama-3.1-8b":         "no bandwidth bounds its speed",
		"16xrtx4090 8b-q4":          "groups of at most 8",
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
			sized, err := Claim(nil, "8xb300", called+"-"+precision)
			if err != nil {
				t.Fatal(err)
			}
			n++
			if sized.Bound(0) < named.Bound(0) || sized.Prompt != 0 {
				t.Errorf("%s-%s: %.0f tok/s, and for %s %.0f", called, precision, sized.Bound(0), m.Name, named.Bound(0))
			}
		}
	}
	if n < 30 {
		t.Errorf("%d models", n)
	}
}
