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
