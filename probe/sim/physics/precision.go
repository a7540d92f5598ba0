package physics

import (
	"cmp"
	"fmt"

	"tokscope/metrics/pick"
)

// Class is the format of the operands of a product.
type Class uint8

const (
	BF16 Class = iota
	FP8
	FP4
)

// Precision holds the bytes per parameter by place, and the class in which
// products are computed. Hardware without that class uses the next wider one.
type Precision struct {
	Key, Name string
	Attn      float64 // bytes per parameter of the attention projections
	FFN       float64 // … of the feed-forward layers
	Expert    float64 // … of the experts
	Head      float64 // … of the output head
	Embed     float64 // … of the embedding table, stored but not read
	Class     Class
	// Widen is the share of the rate that remains when weights are widened
	// block by block before the product; 0 means all of it.
	Widen float64
	// Blocks marks weights with a scale for each block of 128 by 128, as
	// DeepSeek's FP8 has them. Grouped products apply them as they go.
	Blocks bool
	// Act8 marks 4-bit weights that are multiplied by activations in 8 bits, at the
	// rate of 8 bits, on devices with units for 4.
	Act8 bool
	// Shared is Expert of the experts that every token uses; 0 means Expert.
	Shared float64
}

func (p *Precision) shared() float64 { return cmp.Or(p.Shared, p.Expert) }

// Precisions lists every named precision. Q4_K_M prompts run at 0.81 of the
// F16 rate in llama.cpp, Q8_0 prompts at 0.90 (pull request 3084, 7B on an M2
// Ultra, 512 tokens: 1028 and 1143 against 1265 tok/s). Bits per
// parameter: mxfp4 4.25 for the experts only (the rest of
// gpt-oss stays bf16, and kernels on Blackwell take activations in 8
// bits), nvfp4 4.5 for all but the head and the embedding
// (NVIDIA's checkpoints of Llama and Qwen3 exclude only lm_head), Q4_K_M 4.85
// with a head of 6.56, Q8_0 8.5.
var Precisions = []Precision{
	{"bf16", "bf16", 2, 2, 2, 2, 2, BF16, 0, false, false, 0},
	{"fp8", "fp8", 1, 1, 1, 2, 2, FP8, 0, false, false, 0},
	{"int4", "int4", .53, .53, .53, 2, 2, BF16, 0, false, false, 0},
	{"mxfp4", "mxfp4", 2, 2, .53125, 2, 2, FP4, 0, false, true, 0},
	{"nvfp4", "nvfp4", .5625, .5625, .5625, 2, 2, FP4, 0, false, false, 0},
	{"q4", "Q4_K_M", .60625, .60625, .60625, .82, .60625, BF16, .81, false, false, 0},
	{"q8", "Q8_0", 1.0625, 1.0625, 1.0625, 1.0625, 1.0625, BF16, .90, false, false, 0},
}

// PrecisionOf returns the precision with this key. ok is false for an unknown
// key.
func PrecisionOf(key string) (p Precision, ok bool) {
	return pick.Value(Precisions, func(p *Precision) bool { return p.Key == key })
}

// recipe returns p as the checkpoints of m hold it that st serves.
//
//   - NVIDIA's NVFP4 checkpoints of models with latent attention keep the
//     attention in 16 bits (DeepSeek-R1-FP4). Moonshot's in int4 and mxfp4 keep
//     all but the routed experts so (Kimi K2.5, K3), DeepSeek's in 8 bits (V4).
//   - FP8 checkpoints of such models have scales for blocks (DeepSeek-R1), as those of
//     Qwen3 and MiniMax. TensorRT-LLM serves NVIDIA's, which have none.
//   - GGUF files of gpt-oss hold all but the experts in 8.5 bits: 11.27 GiB for
//     20.9 billion parameters, 59.02 GiB for 116.8. So do MLX's (MXFP4-Q8).
func (p Precision) recipe(m *Model, st *Stack) Precision {
	switch {
	case p.Key == "nvfp4" && m.MLA != nil:
		p.Attn = 2
	case p.Key == "int4" && m.MLA != nil:
		p.Attn, p.FFN, p.Shared = 2, 2, 2
	case p.Key == "mxfp4" && m.strided():
		p.Attn, p.FFN, p.Shared = 1, 1, 1
	case p.Key == "mxfp4" && m.MLA != nil:
		p.Shared = 2
	case p.Key == "fp8" && (m.MLA != nil || m.Blocks && !st.KV8):
		p.Blocks = true
	case p.Key == "mxfp4" && (st.GGUF || st.Key == "mlx"):
		p.Attn, p.FFN, p.Head, p.Embed = 1.0625, 1.0625, 1.0625, 1.0625
	}
	return p
}

// KVFormat is a format of the cache. Bytes are per value.
type KVFormat struct {
	Key   string
	Bytes float64
}

// KVFormats lists every format of the cache: those of vLLM, and llama.cpp's
// blocks of 32 values with a scale.
var KVFormats = []KVFormat{{"bf16", 2}, {"fp8", 1}, {"q8_0", 1.0625}, {"q4_0", .5625}}

// chooseKV sets the bytes of a cached value.
func (s *Setup) chooseKV() error {
	s.kvByte = 2
	if s.Stack.KV8 && s.Precision.Class >= FP8 && s.Precision.Attn <= 1 || s.Model.strided() {
		s.kvByte = 1
	}
	for _, f := range KVFormats {
		if f.Key == s.KV {
			s.kvByte = f.Bytes
			return nil
		}
	}
	if s.KV != "" {
		return &FitError{fmt.Sprintf("no format %q of the cache", s.KV)}
	}
	return nil
}
