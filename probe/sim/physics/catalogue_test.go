package physics

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
)

// Published sizes in billions of parameters, and of those used per token, without
// the embedding. Gemma and Llama 4 without their vision towers; GLM without its
// prediction layer.
func TestModelsWeighWhatIsPublished(t *testing.T) {
	for key, want := range map[string]struct{ total, active float64 }{
		"llama-2-7b": {6.74, 6.61}, "mistral-7b": {7.25, 7.11}, "llama-3.1-8b": {8.03, 7.50},
		"qwen3-8b": {8.19, 7.57}, "qwen3-14b": {14.77, 13.99}, "qwen3-32b": {32.76, 31.98},
		"llama-3.3-70b": {70.55, 69.50}, "llama-3.1-405b": {405.9, 403.7},
		"gpt-oss-20b": {20.9, 3.61}, "gpt-oss-120b": {116.8, 5.13},
		"qwen3-30b-a3b": {30.5, 3.04}, "qwen3-235b-a22b": {235.1, 21.6},
		"deepseek-r1": {671.0, 36.6}, "mixtral-8x7b": {46.7, 12.8}, "minimax-m2": {228.7, 10.4},
		"llama-4-scout": {107.8, 16.1}, "llama-4-maverick": {400.7, 16.1}, "codellama-34b": {33.7, 33.5},
		"mistral-small-3": {23.6, 22.9},
		"mixtral-8x22b":   {140.6, 39}, "phi-4": {14.7, 14.2}, "gemma-3-4b": {3.88, 3.88}, "gemma-3-12b": {11.8, 11.8},
		"gemma-3-27b": {27.0, 27.0},
		"qwen3-1.7b":  {1.72, 1.72}, "qwen3-4b": {4.02, 4.02}, "qwen3-coder-30b-a3b": {30.5, 3.04},
		"qwen3-coder-480b-a35b": {480, 34.5},
		"deepseek-v3":           {671, 36.6}, "deepseek-v3.1": {671, 36.6}, "deepseek-v3.2": {671.9, 37.4},
		"kimi-k2": {1026, 31.5},
		"glm-4.5": {352.8, 32.8}, "glm-4.6": {352.8, 32.8}, "glm-4.5-air": {106.8, 12.8},
	} {
		m, ok := ModelOf(key)
		if !ok {
			t.Errorf("no model %q", key)
			continue
		}
		near(t, key+" total", m.Params().Total()/1e9, want.total, 0.005)
		near(t, key+" active", m.Active()/1e9, want.active, 0.01)
	}
	// Hybrid models by their names. Those of experts give the active weights
	// with the embedding.
	for key, want := range map[string]struct{ total, least, most float64 }{
		"qwen3-next-80b-a3b": {80, 3, 4}, "qwen3.5-27b": {27, 25, 27}, "qwen3.5-35b-a3b": {35, 2.7, 3.5},
		"qwen3.5-122b-a10b": {122, 8.9, 10.5}, "qwen3.5-397b-a17b": {397, 16, 17.5},
		"minimax-m3": {427, 21, 27}, "glm-5": {744, 38, 41}, "gemma-4-31b": {30.7, 30, 31}, "gemma-4-26b-a4b": {25.2, 3.5,
			4}, "nemotron-3-nano": {31.6, 3, 3.6},
		"deepseek-v4-flash": {284, 12.8, 13.5}, "kimi-k3": {2800, 100, 105},
		"kimi-linear-48b-a3b": {48.5, 2.7, 3.3}, "nemotron-h-8b": {8.1, 7.4, 7.7}, "nemotron-nano-9b-v2": {8.89, 8.2, 8.5},
	} {
		m, _ := ModelOf(key)
		near(t, key+" total", m.Params().Total()/1e9, want.total, 0.015)
		if a := m.Active() / 1e9; a < want.least || a > want.most {
			t.Errorf("%s: %.2f billion active weights, want %v to %v", key, a, want.least, want.most)
		}
	}
}

func TestEveryEntrySaysItsSource(t *testing.T) {
	for _, h := range Machines {
		testkit.That(t, len(h.Source) >= 6 && h.Name != "", "%s: source %q", h.Key, h.Source)
		testkit.Is(t, h.Check(), nil, h.Key)
		testkit.That(t, h.Flow != nil || (h.FP8 <= 0 || h.FP8 >= h.BF16) && (h.FP4 <= 0 || h.FP4 >= h.FP8),
			"%s: a narrower format is slower: %v %v %v", h.Key, h.BF16, h.FP8, h.FP4)
	}
	for _, m := range Models {
		testkit.That(t, len(m.Source) >= 6 && m.Name != "", "%s: source %q", m.Key, m.Source)
		testkit.Is(t, m.Check(), nil, m.Key)
	}
}

// Every name means one thing: no alias is a key, or an alias of two kinds,
// and each can be typed.
func TestAliasesAreUnique(t *testing.T) {
	var c *Catalogue
	machines, models := c.Names()
	all := append(slices.Clone(machines), models...)
	slices.Sort(all)
	for i, name := range all {
		testkit.That(t, i <= 0 || name != all[i-1], "%q means two things", name)
		testkit.That(t, name == strings.ToLower(name) && !strings.ContainsAny(name, "@+ /"), "%q cannot be typed", name)
	}
	for _, name := range machines {
		if _, ok := c.Machine(name); !ok {
			t.Errorf("%q is no machine", name)
		}
	}
	for _, name := range models {
		m, ok := c.Model(strings.ToUpper(name))
		testkit.That(t, ok, "%q is no model", name)
		testkit.That(t, name == m.Key || slices.Contains(AliasesOf(m.Key), name),
			"%q is not listed as an alias of %s", name, m.Key)
	}
	for name, want := range map[string]string{"r1": "deepseek-r1", "llama-3.3-70b": "llama-3.3-70b",
		"qwen3-coder": "qwen3-coder-30b-a3b", "gpt-oss:20b": "gpt-oss-20b"} {
		if m, _ := c.Model(name); m.Key != want {
			t.Errorf("%s: %s, want %s", name, m.Key, want)
		}
	}
}

// Of any machine and model: what fits also fits a machine with more memory,
// and no step takes longer with more bandwidth or arithmetic. A step of one
// user takes at least as long as the bandwidth needs for the active weights.
func TestEveryPairIsSane(t *testing.T) {
	fitted := 0
	rapid.Check(t, func(t *rapid.T) {
		h := rapid.SampledFrom(Machines).Draw(t, "machine")
		m := rapid.SampledFrom(Models).Draw(t, "model")
		p := rapid.SampledFrom(Precisions).Draw(t, "precision")
		stack, _ := StackOf("vllm")
		if h.Flow != nil {
			stack, _ = StackOf("flow")
		}
		more := rapid.Float64Range(1, 4).Draw(t, "factor")
		c := Config{Hardware: h, Model: m, Precision: p, Stack: stack}
		s, err := New(c)
		larger := c
		larger.Hardware.Mem *= more
		l, lerr := New(larger)
		if err != nil {
			_, ok := errors.AsType[*FitError](err)
			testkit.Given(t, ok, "%s on %s: %v", m.Key, h.Key, err)
			return
		}
		fitted++
		testkit.Given(t, lerr == nil && l.TP <= s.TP,
			"%s on %s fits %d, with %.2f times the memory %v", m.Key, h.Key, s.TP, more, lerr)
		load := &Load{Seqs: rapid.IntRange(1, 64).Draw(t, "users"), WinCtx: 128}
		load.Ctx = int64(load.Seqs) * int64(rapid.IntRange(128, 4000).Draw(t, "context"))
		load.WinCtx *= int64(load.Seqs)
		if rapid.Bool().Draw(t, "prompt") {
			load.Chunks = []Chunk{{New: rapid.IntRange(1, 4096).Draw(t, "tokens"), Last: true}}
		}
		cost := s.Step(load)
		base := cost.Seconds()
		faster := c
		faster.TP = s.TP
		faster.Hardware.BW *= more
		faster.Hardware.BF16 *= more
		faster.Hardware.FP8 *= more
		faster.Hardware.FP4 *= more
		f := testkit.Must(New(faster))(t)
		cost = f.Step(load)
		if got := cost.Seconds(); !(got > 0) || got > base*(1+1e-9) {
			t.Fatalf("%s %s on %s: %v s, %.2f times as fast a machine %v s", m.Key, p.Key, h.Key, base, more, got)
		}
		one := s.Step(&Load{Seqs: 1, Ctx: 128, WinCtx: 128})
		if least := s.ActiveBytes() / (h.BW * 1e9 * float64(s.TP)); h.Flow == nil && one.Seconds() < least {
			t.Fatalf("%s %s on %s: a step of %v s, reading takes %v", m.Key, p.Key, h.Key, one.Seconds(), least)
		}
	})
	testkit.That(t, fitted != 0, "nothing fitted")
}

func TestOwnMachinesAndModels(t *testing.T) {
	h, _ := Machine("rtx4090")
	h.Key, h.Name, h.Mem = "mybox", "my box", 48
	m, _ := ModelOf("llama-3.1-8b")
	m.Key = "mine"
	c := testkit.Must(NewCatalogue([]Hardware{h}, []Model{m}))(t)
	if got, ok := c.Machine("MyBox"); !ok || got != h || c.Machines()[0] != h || len(c.Machines()) != len(Machines)+1 {
		t.Errorf("%+v", got)
	}
	if got, ok := c.Model("mine"); !ok || got != m || c.Models()[0] != m {
		t.Errorf("%+v", got)
	}
	if _, ok := c.Machine("4090"); !ok {
		t.Error("the built-in ones are gone")
	}
	for name, words := range map[string]string{"": "begins with a letter", "2xbox": "begins with a letter",
		"h100": "built in", "r1": "built in", "a b": "up to 40", "Box": "a-z", strings.Repeat("a", 41): "up to 40"} {
		h.Key = name
		var bad *NameError
		if _, err := NewCatalogue([]Hardware{h}, nil); !errors.As(err, &bad) || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v", name, err)
		}
	}
	h.Key = "mine"
	if _, err := NewCatalogue([]Hardware{h}, []Model{m}); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("one name for two: %v", err)
	}
	for key, change := range map[string]func(*Hardware){
		"memory_gb": func(h *Hardware) { h.Mem = 0 }, "bandwidth_gbs": func(h *Hardware) { h.BW = -1 },
		"bf16_tflops": func(h *Hardware) { h.BF16 = 0 }, "fp8_tflops": func(h *Hardware) { h.FP8 = 1e9 },
		"bandwidth_share": func(h *Hardware) { h.EffBW = 1.5 }, "devices": func(h *Hardware) { h.MaxTP = 0 },
		"link": func(h *Hardware) { h.Link = Link{} }, "software": func(h *Hardware) { h.Stack = "x" },
	} {
		h, _ := Machine("h100")
		change(&h)
		var bad *FieldError
		if err := h.Check(); !errors.As(err, &bad) || bad.Key != key {
			t.Errorf("%s: %v", key, err)
		}
	}
	for key, change := range map[string]func(*Model){
		"layers": func(m *Model) { m.Layers = 0 }, "kv_heads": func(m *Model) { m.KVHeads = 65 },
		"ffn": func(m *Model) { m.FFN, m.Experts = 0, 0 }, "experts_per_token": func(m *Model) { m.TopK = 129 },
		"expert_ffn": func(m *Model) { m.ExpertFFN = 0 }, "dense_layers": func(m *Model) { m.Dense = -1 },
		"context": func(m *Model) { m.Context = 0 }, "precision": func(m *Model) { m.Native = "x" },
		"vocab": func(m *Model) { m.Vocab = 0 },
	} {
		m, _ := ModelOf("gpt-oss-120b")
		change(&m)
		var bad *FieldError
		if err := m.Check(); !errors.As(err, &bad) || bad.Key != key {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// Machines of late 2026 have the peaks of their data sheets: GB/s, TFLOP/s in 16,
// 8 and 4 bits. 0 is not compared. The RTX PRO 6000 is the Server Edition, with
// its own memory.
func TestPeaksOfDataSheets(t *testing.T) {
	for key, want := range map[string][4]float64{
		"rtxpro6000": {1597, 468, 936, 1871}, "b300": {7750, 2250, 4500, 14000}, "gb300": {8000, 2500, 5000, 15000},
		"mi355x": {8000, 2500, 5000, 10050}, "mi325x": {6000, 1307, 2615}, "h100-nvl": {3900, 835}, "h100-pcie": {2000, 756},
		"gh200": {4000, 989}, "h20": {4000, 148}, "l4": {300, 121, 242}, "a10": {600, 125}, "t4": {320, 65},
		"rtx3090": {936, 71}, "rtx4080": {717}, "rtx5080": {960}, "rx7900xtx": {960}, "dgx-spark": {273, 0, 0, 500},
		"strixhalo": {256},
		"m5max":     {614}, "m4pro": {273}, "m4": {120}, "m2max": {400}, "tpu-v5e": {819, 197}, "tpu-v5p": {2765, 459},
		"rtxpro6000-ws": {1792, 503.8, 1007.6, 2015}, "rtx5070ti": {896, 87.9, 175.8, 703}, "rtx5070": {672, 61.7, 123.5,
			494},
		"rtx5060ti": {448, 47.4, 94.9, 380}, "rx7900xt": {800, 103}, "rx9070xt": {640, 195, 389}, "b580": {456, 116.5},
		"mi350x": {8000, 2300, 4600, 9200}, "m5": {153}, "m5pro": {307},
		"tpu-v6e": {1640, 918}, "tpu-v7": {7380, 2307, 4614}, "trainium2": {2900, 667, 1299}, "gaudi3": {3700, 1678, 1678},
	} {
		h, ok := Machine(key)
		if !ok {
			t.Errorf("no machine %s", key)
			continue
		}
		for i, got := range [4]float64{h.BW, h.BF16, h.FP8, h.FP4} {
			if want[i] > 0 && got != want[i] {
				t.Errorf("%s: %v, the data sheet has %v", key, got, want[i])
			}
		}
	}
}

// Memory is what a device reports, in MiB, and not what its sheet says.
func TestMemoryIsWhatDevicesReport(t *testing.T) {
	for key, mib := range map[string]float64{
		"gb200": 189471, "b300": 275040, "l40s": 46068, "l4": 23034, "a10": 23028, "t4": 15360, "dgx-spark": 124613,
	} {
		h, _ := Machine(key)
		near(t, key, h.Bytes()/(1<<20), mib, .002)
	}
}

// What only llama.cpp reaches of the bandwidth is not lent to other software.
func TestSharesOfLlamaCppAreItsOwn(t *testing.T) {
	for _, key := range []string{"dgx-spark", "rtx4090", "strixhalo"} {
		own := must(t, config(t, "qwen3-8b", "q8", key, "llama.cpp", 1)).Hardware.stream(1.0625)
		other := must(t, config(t, "qwen3-8b", "q8", key, "vllm", 1)).Hardware.stream(1.0625)
		testkit.That(t, own >= 1.05*other, "%s: llama.cpp reads %.4g B/s, vLLM %.4g", key, own, other)
	}
}

// Two linked DGX Sparks run vLLM, one llama.cpp, and the rates that are estimates
// are called so.
func TestLinkedSparksAndEstimates(t *testing.T) {
	h, _ := Machine("dgx-spark")
	if h.MaxTP != 2 || h.Link.AllReduce(8192, 2) < 25e-6 || h.Link.AllReduce(8192, 2) > 35e-6 {
		t.Errorf("groups of %d, 8 KB in %v s", h.MaxTP, h.Link.AllReduce(8192, 2))
	}
	for _, m := range Machines {
		testkit.That(t, m.Flow == nil || strings.Contains(m.Note, "estimate"),
			"%s does not say that its rate of prompts is an estimate", m.Key)
	}
}
