package sim

import (
	"strings"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
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
		got, mode, err := ParseID(nil, c.id)
		if err != nil {
			t.Errorf("%s: %v", c.id, err)
			continue
		}
		if got.Model.Key != c.model || got.Precision.Key != c.precision || got.Hardware.Key != c.hardware ||
			got.Stack.Key != c.stack || got.TP != c.tp || mode != c.mode {
			t.Errorf("%s: %s %s %s %s %d %v", c.id, got.Model.Key, got.Precision.Key, got.Hardware.Key, got.Stack.Key, got.TP,
				mode)
		}
	}
	for id, words := range map[string]string{
		"":                        "expected model@hardware",
		"llama-3.1-8b":            "expected model@hardware",
		"llama-3.1-8b@":           "known are a100-40",
		"llama-3.1-8b-fp9@h100":   "known are bf16",
		"gpt-5@h100":              "known are llama-3.1-8b",
		"llama-3.1-8b@h100+turbo": "none of a software, a mode of batching, ep",
		"llama-3.1-8b@0xh100":     "did you mean h100?",
		strings.Repeat("x", 4000): "…",

		"llama-3.1-8b@h100+" + strings.Repeat("\xce", 4000): "none of",
	} {
		if _, _, err := ParseID(nil, id); err == nil || !strings.Contains(err.Error(), words) || len(err.Error()) > 1200 {
			t.Errorf("%.40q: %v", id, err)
		}
	}
}

func TestOptionsOfAnID(t *testing.T) {
	for id, ok := range map[string]func(c *physics.Config, m engine.Mode) bool{
		"deepseek-r1@8xh200+ep": func(c *physics.Config,
			_ engine.Mode) bool {
			return c.Sharing == physics.Expert && c.TP == 8
		},
		"llama-3.1-8b@4xrtx4090+pp+kv-fp8": func(c *physics.Config,
			_ engine.Mode) bool {
			return c.Sharing == physics.Pipeline && c.KV == "fp8"
		},
		"gpt-oss-120b@rtx4090+cpu-moe-30": func(c *physics.Config,
			_ engine.Mode) bool {
			return c.CPULayers == 30 && c.Stack.Key == "llama.cpp"
		},
		"gpt-oss-120b@rtx4090+cpu-moe+ollama": func(c *physics.Config,
			_ engine.Mode) bool {
			return c.CPULayers == 36 && c.Stack.Key == "ollama"
		},
		"nemotron-3-nano-q4@rtx4090+cpu-moe": func(c *physics.Config, _ engine.Mode) bool { // only some layers have experts
			return c.CPULayers == c.Model.MoELayers() && c.CPULayers < c.Model.Layers
		},
		"llama-3.1-8b@h100+async": func(c *physics.Config,
			_ engine.Mode) bool {
			return c.Stack.Async && c.Stack.Key == "vllm"
		},
		"llama-3.1-8b@h100+async+nim": func(c *physics.Config,
			_ engine.Mode) bool {
			return c.Stack.Async && c.Stack.Key == "nim"
		},
		"llama-3.1-8b@h100+sglang+nim": func(c *physics.Config, m engine.Mode) bool { // of two softwares the last
			return !c.Stack.Async && c.Stack.Key == "nim" && m == engine.Continuous
		},
		"llama-3.1-8b@h100+sglang": func(_ *physics.Config,
			m engine.Mode) bool {
			return m == engine.PrefillFirst
		},
		"llama-3.1-8b@h100+continuous+sglang": func(_ *physics.Config, m engine.Mode) bool { return m == engine.Continuous },
		"llama-3.1-8b@h100+draft:eagle3:3": func(c *physics.Config, _ engine.Mode) bool {
			return c.Draft.K == 3 && c.Draft.Head > .04 && c.Draft.Head < .07 && c.Draft.At(0) == .7
		},
		"llama-3.1-8b@h100+draft:mtp:2:0.9": func(c *physics.Config,
			_ engine.Mode) bool {
			return c.Draft.K == 2 && c.Draft.At(1) == .9
		},
		"llama-3.1-8b@h100+draft:llama3.2:1b": nil,
		"llama-3.1-8b@h100+draft:llama-3.2-1b:4": func(c *physics.Config, _ engine.Mode) bool {
			return c.Draft.Model.Key == "llama-3.2-1b" && c.Draft.K == 4
		},
		"llama-3.1-8b@h100+draft:eagle3":     nil,
		"llama-3.1-8b@h100+draft:eagle3:3:7": nil,
		"llama-3.1-8b@h100+draft:gpt-9:3":    nil,
		"llama-3.1-8b@h100+kv-fp3":           nil,
		"llama-3.1-8b@h100+cpu-moe-x":        nil,
	} {
		c, m, err := ParseID(nil, id)
		testkit.That(t, (err == nil) == (ok != nil) && (ok == nil || ok(&c, m)), "%s: %v, %v, %+v", id, err, m, c)
	}
}

// Options behind a preset keep what the preset names.
func TestOptionsOfAPreset(t *testing.T) {
	f, err := find(nil, "llama-3.3-70b-fp8@h200+kv-bf16+draft:eagle3:3")
	testkit.That(t, err == nil && f.setup.Stack.Key == "nim" && f.setup.KVToken == f.setup.Model.KVBytes(2) &&
		f.setup.Draft.K == 3,
		"%v, %+v", err, f.setup)
	f, err = find(nil, "deepseek-r1-nvfp4@8xb200+mtp3+async")
	testkit.That(t, err == nil && f.setup.Draft != nil && f.setup.Stack.Async, "%v, %+v", err, f.setup)
}

func TestEveryPresetFits(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Presets {
		f, err := find(nil, p.ID)
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
		if _, err := find(nil, id); err != nil && len(err.Error()) > 2000 {
			t.Errorf("an error of %d bytes", len(err.Error()))
		}
	})
}
