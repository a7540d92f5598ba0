package validation

// Sources of the rows of prompts.
const (
	mlx1029   = "mlx-examples issue 1029, MLX 0.21.1 (December 2024)"
	mlx40     = "mlx-lm pull request 40, after (March 2025)"
	beowulf   = "geerlingguy/beowulf-ai-cluster issue 17, llama.cpp build 7315 (December 2025)"
	framework = "community.frame.work, thread 73280, llama.cpp with ROCm (August 2025)"
	gfx59     = "AMD-Ecosystem/llama.cpp pull request 59, regression results (July 2026)"
	normie3   = "brand-o/normiebench issue 3 (March 2026)"
	rdna24546 = "llama.cpp pull request 24546, master (September 2026)"
	cuda22298 = "llama.cpp pull request 22298, before (2026)"
	millstone = "millstoneai.com, gpt-oss-20b on one RTX PRO 6000, vLLM (January 2026)"
)

// prompts holds rows of prompts on consumer machines and in software of 2023.
// splitRule chose them.
var prompts = []row{
	{id: "llama-3.1-8b-q4@rtx3090", stack: "llama.cpp2024", load: users(1, 4096, 1), ttft: 1292, prefill: true,
		source: llamacpp},
	{id: "llama-3.1-8b@rtx3090", stack: "llama.cpp2024", load: users(1, 512, 1), ttft: 115.2, prefill: true,
		source: llamacpp},
	{id: "llama-3.1-8b@rtx3090", stack: "llama.cpp2024", load: users(1, 4096, 1), ttft: 1201, prefill: true,
		source: llamacpp},
	{id: "llama-3.1-8b-q4@rtx4090", stack: "llama.cpp2024", load: users(1, 512, 1), ttft: 71.72, prefill: true,
		source: llamacpp},
	{id: "llama-3.1-8b-q4@rtx4090", stack: "llama.cpp2024", load: users(1, 8192, 1), ttft: 2028, prefill: true,
		source: llamacpp},
	{id: "llama-3.1-8b@rtx4090", stack: "llama.cpp2024", load: users(1, 512, 1), ttft: 54.57, prefill: true,
		source: llamacpp},
	{id: "llama-3.1-8b@rtx4090", stack: "llama.cpp2024", load: users(1, 8192, 1), ttft: 1727, prefill: true,
		source: llamacpp},
	{id: "llama-3.1-8b-q4@m1max", stack: "llama.cpp2024", load: users(1, 8192, 1), ttft: 27040, prefill: true,
		source: llamacpp},
	{id: "llama-3.1-8b@m1max", stack: "llama.cpp2024", load: users(1, 8192, 1), ttft: 23310, prefill: true,
		source: llamacpp},
	{id: "llama-3.1-8b-q4@m2ultra", stack: "llama.cpp2024", load: users(1, 8192, 1), ttft: 8967, prefill: true,
		source: llamacpp},
	{id: "llama-3.3-70b-q4@m2ultra", stack: "llama.cpp2024", load: users(1, 8192, 1), ttft: 75450, prefill: true,
		source: llamacpp},
	{id: "llama-3.3-70b-q4@m3max", stack: "mlx", quant: "mlx4", load: users(1, 689, 760), ttft: 8245, tpot: 106.8,
		prefill: true, source: mlx1029},
	{id: "llama-3.3-70b-q4@m3max", stack: "mlx", quant: "mlx4", load: users(1, 2173, 776), ttft: 26150, tpot: 109.6,
		prefill: true, source: mlx1029},
	{id: "llama-3.3-70b-q4@m3max", stack: "mlx", quant: "mlx4", load: users(1, 4126, 724), ttft: 51960, tpot: 112.1,
		prefill: true, source: mlx1029},
	{id: "llama-3.3-70b-q4@m3max", stack: "mlx", quant: "mlx4", load: users(1, 30136, 27), ttft: 518900, tpot: 147.4,
		prefill: true, source: mlx1029},
	{id: "deepseek-r1-q4@m3ultra", stack: "llama.cpp", load: users(1, 512, 128), ttft: 3031, tpot: 49.48, prefill: true,
		source: beowulf},
	{id: "qwen3-8b-q4@strixhalo", stack: "llama.cpp", load: users(1, 3968, 128), ttft: 3588, tpot: 26.83, prefill: true,
		source: gfx59},
	{id: "qwen3-4b-q4@strixhalo", stack: "llama.cpp", load: users(1, 3968, 128), ttft: 2404, tpot: 16.77, prefill: true,
		source: gfx59},
	{id: "qwen3-1.7b-q4@strixhalo", stack: "llama.cpp", load: users(1, 3968, 128), ttft: 1172, tpot: 9.296, prefill: true,
		source: gfx59},
	{id: "llama-3.1-8b-q4@m4", stack: "llama.cpp", load: users(1, 512, 128), ttft: 2277, tpot: 47.92, prefill: true,
		source: normie3},
	{id: "gpt-oss-20b@rx7900xtx", stack: "llama.cpp", budget: 512, load: users(1, 2048, 1), ttft: 532.5, prefill: true,
		source: rdna24546},
	{id: "gpt-oss-20b@rx7900xtx", stack: "llama.cpp", budget: 64, load: users(1, 2048, 1), ttft: 1285, prefill: true,
		source: rdna24546},
	{id: "llama-2-7b-fp8@h100", stack: "eager", load: users(1, 128, 1), ttft: 7, prefill: true, source: trt},
	{id: "llama-2-70b-fp8@4xh100", stack: "eager", load: users(1, 128, 1), ttft: 26, prefill: true, source: trt},
	{id: "gpt-j-6b-fp8@l40s", stack: "eager", load: users(1, 128, 1), ttft: 12, prefill: true, source: trt},
	{id: "gpt-j-6b-fp8@l40s", stack: "eager", load: users(1, 2040, 1), ttft: 71, prefill: true, source: trt},
	{id: "llama-2-7b-fp8@l40s", stack: "eager", load: users(1, 128, 1), ttft: 14, prefill: true, source: trt},
	{id: "gpt-j-6b@a100", stack: "eager", load: users(1, 2040, 1), ttft: 129, prefill: true, source: trt},
	{id: "llama-2-70b@4xa100", stack: "eager", load: users(1, 128, 1), ttft: 47, prefill: true, source: trt},
	{id: "gpt-oss-20b@rtxpro6000", stack: "vllm", load: users(1, 1000, 1024), ttft: 35, tpot: 4, prefill: true,
		source: millstone},
}
