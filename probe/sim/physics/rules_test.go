package physics

import "testing"

// One new token after a long cached prompt: reading the cache takes longer
// than the arithmetic.
func TestACachedPromptIsReadAtLeast(t *testing.T) {
	s := must(t, config(t, "llama-3.1-8b", "bf16", "h100", "bench", 1))
	c := s.Step(&Load{Chunks: []Chunk{{New: 1, Cached: 100000}}})
	a := c.Terms[PrefillAttention]
	near(t, "attention", a.Seconds, 100000*131072/(3350e9*.80), 1e-9)
	if a.Limit != Bandwidth {
		t.Errorf("bound by %v", a.Limit)
	}
}

// Half the layers of gpt-oss attend to 128 tokens only, in prefill and
// decode.
func TestWindowedLayersLookBackOnlySoFar(t *testing.T) {
	s := must(t, config(t, "gpt-oss-20b", "mxfp4", "h100", "bench", 1))
	const n = 4000.
	c := s.Step(&Load{Chunks: []Chunk{{New: n}}})
	near(t, "prompt", c.Terms[PrefillAttention].FLOPs, 4*64*64*(12*n*n/2+12*n*128), 1e-9)
	c = s.Step(&Load{Seqs: 1, Ctx: n, WinCtx: 128})
	near(t, "decode", c.Terms[DecodeAttention].Bytes, 2*8*64*2*(12*n+12*128), 1e-9)
}

// A compressed cache is replicated on every device. More devices make it
// neither faster to read nor smaller. Shared heads spread over as many
// devices as there are heads.
func TestOverHowManyDevicesACacheIsSpread(t *testing.T) {
	mla := must(t, config(t, "deepseek-r1", "fp8", "h200", "vllm", 8))
	load := &Load{Seqs: 1, Ctx: 100000}
	c := mla.Step(load)
	a := c.Terms[DecodeAttention]
	one := 100000 * 70272. // on one device
	near(t, "MLA bytes over eight devices", a.Bytes, 8*one, 1e-9)
	if least := one / (4800e9 * .80); a.Seconds < least || a.Seconds > 1.1*least {
		t.Errorf("MLA read in %v s, one device alone takes %v", a.Seconds, least)
	}
	near(t, "MLA room", float64(mla.Capacity), (.9*141*gib-mla.Weights/8-mla.reserve())/70272, 1e-3)

	for tp, spread := range map[int]float64{1: 1, 2: 2, 4: 4, 8: 4} { // 4 heads
		s := must(t, config(t, "qwen3-30b-a3b", "bf16", "h100", "vllm", tp))
		c := s.Step(load)
		near(t, "four heads", c.Terms[DecodeAttention].Seconds, 100000*98304/spread/(3350e9*.80), 1e-9)
		near(t, "room", float64(s.Capacity), (.9*80*gib-s.Weights/float64(tp)-s.reserve())/(98304/spread), 1e-2)
	}
}

// A draft model uses the same memory, for its weights and its cache.
func TestADraftModelTakesRoom(t *testing.T) {
	c := config(t, "llama-3.3-70b", "bf16", "h100", "vllm", 4)
	plain := must(t, c)
	m, _ := ModelOf("llama-3.1-8b")
	c.Draft = &Draft{Model: &m, Precision: c.Precision, K: 3, Accept: []float64{.8}}
	with := must(t, c)
	near(t, "weights", with.Weights, plain.Weights+16.06e9, 1e-3)
	near(t, "cache per token", with.KVToken, 327680+131072, 1e-9)
	near(t, "room", float64(with.Capacity), (.9*80*gib-with.Weights/4-with.reserve())/((327680+131072)/4.), 1e-3)
}

// vLLM's defaults: 8192 tokens and 1024 sequences a step from 70 GB on, but not
// on an A100; else 2048 and 256.
func TestLimitsOfAStepByMemory(t *testing.T) {
	for key, want := range map[string][2]int{"h100": {8192, 1024}, "b200": {8192, 1024}, "a100": {2048, 256},
		"a100-40": {2048, 256}, "rtx4090": {2048, 256}} {
		h, _ := Machine(key)
		s, _ := StackOf("vllm")
		if b, n := s.Limits(&h); b != want[0] || n != want[1] {
			t.Errorf("%s: %d tokens, %d sequences, want %v", key, b, n, want)
		}
	}
}
