package validation

import "tokscope/probe/sim/physics"

// ownFormats are formats of published rows that the catalogue does not name.
// Q4_0 stores 4.5 bits and a head of 6.56 bits (llama.cpp). MLX's groups of 64
// add half a bit to 4 and 8 bits, everywhere.
var ownFormats = map[string]physics.Precision{
	"q4_0": {Key: "q4_0", Name: "Q4_0", Attn: .5625, FFN: .5625, Expert: .5625, Head: .82, Embed: .5625, Widen: .81},
	"mlx4": {Key: "mlx4", Name: "MLX 4 bit", Attn: .5625, FFN: .5625, Expert: .5625, Head: .5625, Embed: .5625},
	"mlx8": {Key: "mlx8", Name: "MLX 8 bit", Attn: 1.0625, FFN: 1.0625, Expert: 1.0625, Head: 1.0625, Embed: 1.0625},
}

// ownStacks are versions of software that rows were measured with and that the
// catalogue no longer has.
//
// nim2024 is NIM 1.0. Its step is derived from Llama 3 8B on one A100 with one
// user, its cost of a sequence from the same model on one H100 with 50 users.
// sglang2025 is SGLang before 0.5.10, which replayed no graph for prompts: one token of DeepSeek V3
// took 82.6 ms (pull request 12160), 233 of Qwen3 8B 27.7 ms to the first token on an H100
// (gpustack). Its products with scales for blocks, and those of vLLM before 0.18, are as
// timed then (Stack.Blocks). llama.cpp2024 is from before June 2024: it widened
// quantized weights to 16 bits for the prompts of large pieces.
var ownStacks = map[string]func() physics.Stack{
	"nim2024": func() physics.Stack {
		s, _ := physics.StackOf("nim")
		s.Step, s.Seq, s.Ring = 1.4e-3, 35e-6, true
		return s
	},
	"llama.cpp2024": func() physics.Stack {
		s, _ := physics.StackOf("llama.cpp")
		s.KernelG, s.Widens, s.Scores = 0, true, 20
		return s
	},
	"llama.cpp-ub2048": func() physics.Stack {
		s, _ := physics.StackOf("llama.cpp")
		s.Pass = 2048
		return s
	},
	"sglang2025": func() physics.Stack {
		s, _ := physics.StackOf("sglang")
		s.Launch, s.LaunchMoE, s.Blocks, s.Blocks4 = 350e-6, 1.35e-3, 2e-6, 12e-6
		return s
	},
	"vllm2025": func() physics.Stack {
		s, _ := physics.StackOf("vllm")
		s.Blocks = 23e-6
		return s
	},
	"vllm2026": func() physics.Stack {
		s, _ := physics.StackOf("vllm")
		s.Async = true // by default since 0.14, January 2026 (pull request 27614)
		return s
	},
}
