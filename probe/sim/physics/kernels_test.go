package physics

import (
	"fmt"
	"testing"
)

// Llama 3 8B IQ4_XS on an RTX 3090, 2,048 tokens in pieces of 512: 4,314 tok/s
// (llama.cpp pull request 8416), the row of KernelG.
func TestQuantizedPromptsOnGeForce(t *testing.T) {
	c := config(t, "llama-3.1-8b", "q4", "rtx3090", "llama.cpp", 1)
	c.Precision.Attn, c.Precision.FFN = 4.25/8, 4.25/8
	s := must(t, c)
	seconds := 0.0
	for i := range 4 {
		step := s.Step(&Load{Chunks: []Chunk{{New: 512, Cached: 512 * i, Last: i == 3}}})
		seconds += step.Seconds()
	}
	near(t, "tok/s of a prompt", 2048/seconds, 4314, 0.02)
}

// The four products of a layer of Llama 8B, in µs: the medians of TensorRT-LLM,
// vLLM and SGLang in aiconfigurator 095f58a, with the conversion of their operands.
// Left out are 512 tokens in fp8 and nvfp4 on a B200, 173 and 115 µs: they take
// 1.35 times as long as here.
func TestLayersAgainstKernels(t *testing.T) {
	for _, c := range []struct {
		machine, precision string
		us                 map[int]float64
	}{
		{"a100", "bf16", map[int]float64{512: 976, 2048: 3427, 8192: 14086}},
		{"h100", "bf16", map[int]float64{512: 300, 2048: 1139, 8192: 4976}},
		{"h100", "fp8", map[int]float64{512: 208, 2048: 827, 8192: 3129}},
		{"h200", "bf16", map[int]float64{512: 301, 2048: 1134, 8192: 4834}},
		{"h200", "fp8", map[int]float64{512: 214, 2048: 766, 8192: 2953}},
		{"b200", "bf16", map[int]float64{512: 169, 2048: 562, 8192: 2367}},
		{"b200", "fp8", map[int]float64{2048: 425, 8192: 1611}},
		{"b200", "nvfp4", map[int]float64{2048: 269, 8192: 902}},
		{"l40s", "bf16", map[int]float64{512: 1050, 2048: 4056, 8192: 17476}},
		{"l40s", "fp8", map[int]float64{512: 718, 2048: 2511, 8192: 10697}},
		{"rtxpro6000", "bf16", map[int]float64{512: 666, 2048: 2359, 8192: 9159}},
		{"rtxpro6000", "fp8", map[int]float64{512: 402, 2048: 1324, 8192: 5214}},
		{"rtxpro6000", "nvfp4", map[int]float64{512: 232, 2048: 768, 8192: 2945}},
	} {
		s := must(t, config(t, "llama-3.1-8b", c.precision, c.machine, "trtllm", 1))
		for tokens, want := range c.us {
			cost := s.Step(&Load{Chunks: []Chunk{{New: tokens}}})
			got := (cost.Terms[Projections].Seconds+cost.Terms[FeedForward].Seconds)/32 + 4*gemmFixed
			if s.Hardware.quantizes(s.Precision.Class) {
				got += s.Precision.quantized()*gemmFixed + float64(tokens)*s.converted()/s.Hardware.stream(2)/32
			}
			near(t, fmt.Sprintf("%s, %s, %d tokens, µs", c.machine, c.precision, tokens), got*1e6, want, 0.19)
		}
	}
}

// Expert layers with 16,384 tokens reach the parts of the dense peak that were
// timed, whole and cut in eighths (TensorRT-LLM 1.3, aiconfigurator 095f58a). An
// eighth moves as many tokens for an eighth of the arithmetic.
func TestExpertLayersAsTimed(t *testing.T) {
	for _, c := range []struct {
		model, precision, machine string
		tp                        int
		peak, share               float64
	}{
		{"mixtral-8x7b", "bf16", "h100", 1, 989, .73},
		{"mixtral-8x7b", "bf16", "h100", 8, 989, .67},
		{"mixtral-8x7b", "fp8", "h100", 1, 1979, .69},
		{"qwen3-235b-a22b", "bf16", "h100", 1, 989, .55},
		{"qwen3-235b-a22b", "bf16", "h100", 8, 989, .22},
		{"qwen3-235b-a22b", "fp8", "h100", 1, 1979, .47},
		{"qwen3-235b-a22b", "fp8", "h100", 8, 1979, .13},
		{"qwen3-235b-a22b", "bf16", "b200", 8, 2250, .16},
		{"minimax-m2", "nvfp4", "b200", 8, 9000, .11},
		{"deepseek-r1", "nvfp4", "b200", 1, 9000, .38},
		{"deepseek-r1", "nvfp4", "b200", 8, 9000, .17},
		{"gpt-oss-120b", "mxfp4", "b200", 1, 9000, .20},
	} {
		conf := config(t, c.model, c.precision, c.machine, "bench", c.tp)
		conf.Stack.Spread = false
		s := Setup{Config: conf, Params: conf.Model.Params()}
		cost := Cost{Tokens: 16384}
		s.linear(&cost)
		x := cost.Terms[Experts]
		got := x.FLOPs / (x.Seconds * float64(c.tp) * c.peak * 1e12)
		t.Logf("%s %s on %d %s: %.2f of the peak, timed %.2f", c.model, c.precision, c.tp, c.machine, got, c.share)
		near(t, c.model+" "+c.precision+" on "+c.machine, got, c.share, .40)
	}
}

// Latent attention is as fast as the software of its day. With one sequence, one
// layer more costs what its module was timed to take beyond its reads.
func TestLatentAttentionFollowsTheSoftware(t *testing.T) {
	step := func(stack, model string) float64 {
		s := must(t, config(t, model, "fp8", "h200", stack, 8))
		c := s.Step(loads{seqs: 1, ctx: 1000}.load(&s.Model))
		return c.Terms[Kernels].Seconds / float64(s.Model.Layers)
	}
	for _, model := range []string{"deepseek-r1", "deepseek-v3.2"} {
		old, today := step("nim", model), step("trtllm", model)
		if today > old-30e-6 {
			t.Errorf("%s: %.3g s a layer in TensorRT-LLM 1.3, %.3g s in that of early 2025", model, today, old)
		}
	}
	near(t, "vLLM on an H200, without scales for blocks", step("vllm", "deepseek-r1")-4*8e-6, step("nim", "deepseek-r1"),
		1e-9)
}

// Weights in mxfp4 meet activations in 8 bits on devices with units for 4.
func TestMXFP4RunsAtTheRateOf8Bits(t *testing.T) {
	a := must(t, config(t, "gpt-oss-120b", "mxfp4", "b200", "trtllm", 1))
	near(t, "its rate", a.rate(.53), a.Hardware.rate(FP8), 1e-9)
	b := must(t, config(t, "gpt-oss-120b", "mxfp4", "h100", "trtllm", 2))
	near(t, "on an H100", b.rate(.53), b.Hardware.rate(BF16), 1e-9)
}

// Prompts of a model with experts wait for the host to launch their kernels, where
// no graph replays them.
func TestPromptsWithExpertsHaveALaunchFloor(t *testing.T) {
	for _, c := range []struct {
		key    string
		tokens int
		layer  float64 // seconds, 0 for no wait
	}{{"vllm", 600, 700e-6}, {"vllm", 500, 0}, {"sglang", 600, 0}, {"trtllm", 64, 300e-6}} {
		s := must(t, config(t, "qwen3-30b-a3b", "fp8", "b200", c.key, 1))
		cost := s.Step(loads{prompt: c.tokens}.load(&s.Model))
		if wait := cost.Terms[Launch].Seconds; c.layer == 0 && wait > 0 {
			t.Errorf("%s waits %.3g s for a graph of %d tokens", c.key, wait, c.tokens)
		} else if c.layer > 0 {
			near(t, c.key, cost.Device()+wait, 48*c.layer, 1e-6)
		}
	}
}
