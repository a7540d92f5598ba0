package sim

import (
	"strings"
	"testing"

	"tokscope/probe/sim/engine"
)

func TestParseID(t *testing.T) {
	for _, c := range []struct {
		id, model, precision, hardware, stack string
		tp                                    int
		mode                                  engine.Mode
	}{
		{"llama-3.1-8b@h100", "llama-3.1-8b", "bf16", "h100", "vllm", 1, engine.Continuous},
		{"LLAMA-3.3-70B-fp8@2xH100", "llama-3.3-70b", "fp8", "h100", "vllm", 2, engine.Continuous},
		{"gpt-oss-120b@2xh100", "gpt-oss-120b", "mxfp4", "h100", "vllm", 2, engine.Continuous},
		{"llama-3.1-8b-q4@m3max", "llama-3.1-8b", "q4", "m3max", "llama.cpp", 1, engine.Continuous},
		{"gpt-oss-120b@cerebras", "gpt-oss-120b", "mxfp4", "cerebras", "flow", 0, engine.Continuous},
		{"llama-2-7b@a100-40+bench+static", "llama-2-7b", "bf16", "a100-40", "bench", 1, engine.Static},
		{"llama-2-7b@a100+disaggregated", "llama-2-7b", "bf16", "a100", "vllm", 1, engine.Disaggregated},
	} {
		got, mode, err := ParseID(c.id)
		if err != nil {
			t.Errorf("%s: %v", c.id, err)
			continue
		}
		if got.Model.Key != c.model || got.Precision.Key != c.precision || got.Hardware.Key != c.hardware || got.Stack.Key != c.stack || got.TP != c.tp || mode != c.mode {
			t.Errorf("%s: %s %s %s %s %d %v", c.id, got.Model.Key, got.Precision.Key, got.Hardware.Key, got.Stack.Key, got.TP, mode)
		}
	}
	for id, words := range map[string]string{
		"":                        "expected model@hardware",
		"llama-3.1-8b":            "expected model@hardware",
		"llama-3.1-8b@":           "known are a100-40",
		"llama-3.1-8b-fp9@h100":   "known are bf16",
		"gpt-5@h100":              "known are llama-3.1-8b",
		"llama-3.1-8b@h100+turbo": "one of [continuous",
		"llama-3.1-8b@0xh100":     "did you mean h100?",
		strings.Repeat("x", 4000): "…",

		"llama-3.1-8b@h100+" + strings.Repeat("\xce", 4000): "neither",
	} {
		if _, _, err := ParseID(id); err == nil || !strings.Contains(err.Error(), words) || len(err.Error()) > 1200 {
			t.Errorf("%.40q: %v", id, err)
		}
	}
}

func TestEveryPresetFits(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Presets {
		f, err := find(p.ID)
		if err != nil {
			t.Errorf("%s: %v", p.ID, err)
			continue
		}
		if seen[p.ID] || p.About == "" || contextOf(f.setup) < 4000 {
			t.Errorf("%s: %q, context %d", p.ID, p.About, contextOf(f.setup))
		}
		seen[p.ID] = true
	}
}

func FuzzParseID(f *testing.F) {
	f.Add("llama-3.1-8b@h100")
	f.Add("llama-3.3-70b-fp8@2xh100+nim+static")
	f.Fuzz(func(t *testing.T, id string) {
		if _, err := find(id); err != nil && len(err.Error()) > 2000 {
			t.Errorf("an error of %d bytes", len(err.Error()))
		}
	})
}
