package validation

import "tokscope/probe/sim/engine"

// Sources of the rows of features.
const (
	trt12      = "TensorRT-LLM 1.2, performance overview: per GPU, times the GPUs (2026)"
	r1Practice = "TensorRT-LLM, best practice on DeepSeek-R1, at commit b6261862 (July 2025)"
	eagle      = "vLLM issue 20780, MT-Bench with one user (July 2025); the author's card and lengths are those of " +
		"pull request 16937 and issue 26191"
	nextH200   = "SGLang pull request 10404, after (September 2025)"
	nextH20    = "SGLang pull request 10467, after (September 2025)"
	rocm30     = "vLLM pull request 17530, after (May 2025)"
	rocm235    = "vLLM pull request 17535, after (May 2025)"
	qwen35     = "vLLM pull request 37340: 65,536 tokens in 9.44 s (March 2026)"
	gemmaA100  = "tenstorrent/tt-inference-server issue 521, vLLM on an A100 (September 2025)"
	strix      = "llama.cpp pull request 16095, Vulkan, build 7189 (November 2025)"
	inferenceX = "InferenceX issue 870, SGLang 0.5.7 (March 2026)"
)

const (
	hybrids     = "layers with linear attention cost more than the kernels that were timed"
	unknownA100 = "the card's memory is not stated, and its runs differ by a quarter"
	firstPort   = "the first port of the model, before its kernels were tuned"
)

// features holds rows with expert parallelism, pipelines, EAGLE-3, caches in 8
// bits, windows, linear attention and SGLang. splitRule chose them.
var features = []row{
	{id: "deepseek-r1-nvfp4@4xb200+ep+kv-fp8", stack: "bench", load: burst(3000, 1024, 1024, 0), tps: 25720,
		source: trt12},
	{id: "deepseek-r1-nvfp4@4xb200+ep+kv-fp8", stack: "bench", load: burst(1500, 8192, 1024, 0), tps: 4672, source: trt12},
	{id: "deepseek-r1-nvfp4@4xgb200+ep+kv-fp8", stack: "bench", load: burst(3000, 1024, 1024, 0), tps: 27696,
		source: trt12},
	{id: "deepseek-r1-nvfp4@4xgb200+ep+kv-fp8", stack: "bench", load: burst(1500, 8192, 1024, 0), tps: 4768,
		source: trt12},
	{id: "deepseek-r1@8xh200+ep+kv-fp8", stack: "bench", load: burst(3000, 1024, 1024, 0), tps: 12960, source: trt12},
	{id: "gpt-oss-120b@4xh100+ep+kv-bf16", stack: "bench", load: burst(1500, 8192, 1024, 0), tps: 4676, source: trt12},
	{id: "qwen3-235b-a22b-nvfp4@4xb200+ep", stack: "bench", load: burst(1500, 8192, 1024, 0), tps: 5640, source: trt12},
	{id: "qwen3-235b-a22b-fp8@4xh200+ep", stack: "bench", load: burst(1500, 8192, 1024, 0), tps: 2508, source: trt12},
	{id: "qwen3-235b-a22b-fp8@8xh100+ep", stack: "bench", load: burst(3000, 1024, 1024, 0), tps: 15480, source: trt12},
	{id: "llama-4-maverick-nvfp4@4xb200+ep", stack: "bench", load: burst(1500, 8192, 1024, 0), tps: 13116, source: trt12},
	{id: "llama-4-maverick-fp8@8xh200+ep", stack: "bench", load: burst(1500, 8192, 1024, 0), tps: 10208, source: trt12},
	{id: "qwen3-235b-a22b-nvfp4@8xrtxpro6000+ep", stack: "bench", load: burst(3000, 1024, 1024, 0), tps: 7704,
		source: trt12},
	{id: "qwen3-30b-a3b-nvfp4@2xrtxpro6000+ep", stack: "bench", load: burst(3000, 1000, 1000, 0), tps: 16818,
		source: trt12},
	{id: "qwen3-30b-a3b-nvfp4@8xrtxpro6000+ep", stack: "bench", load: burst(3000, 1000, 1000, 0), tps: 31880,
		source: trt12},
	{id: "llama-3.3-70b-nvfp4@2xrtxpro6000+pp", stack: "bench", load: burst(3000, 1024, 1024, 0), tps: 3774,
		source: trt12},
	{id: "llama-3.3-70b-nvfp4@2xrtxpro6000+pp", stack: "bench", load: burst(1500, 8192, 1024, 0), tps: 654, source: trt12},
	{id: "llama-3.3-70b-nvfp4@2xrtxpro6000+pp", stack: "bench", load: burst(1000, 32768, 1024, 0), tps: 134,
		source: trt12},
	{id: "deepseek-r1-nvfp4@8xb200+ep+kv-fp8", stack: "bench", budget: 16384, load: engine.Workload{Users: 7168,
		Requests: 21504, Prompt: 1024, Output: 2048}, tps: 43146, source: r1Practice},
	{id: "deepseek-r1@8xh200+ep+kv-bf16", stack: "bench", budget: 9208, load: engine.Workload{Users: 1024, Requests: 5120,
		Prompt: 1024, Output: 2048}, tps: 11489, source: r1Practice},
	{id: "llama-3.1-8b@h100", stack: "vllm", draft: "eagle3:3", load: users(1, 76, 212), tpot: 4.09, derived: true,
		source: eagle},
	{id: "llama-3.1-8b@h100", stack: "vllm", draft: "eagle3:5", load: users(1, 76, 212), tpot: 4.13, source: eagle},
	{id: "llama-3.1-8b@h100", stack: "vllm", draft: "eagle3:6", load: users(1, 76, 212), tpot: 4.20, source: eagle},
	{id: "llama-3.1-8b@h100", stack: "vllm", draft: "eagle3:7", load: users(1, 76, 212), tpot: 4.29, derived: true,
		source: eagle},
	{id: "qwen3-next-80b-a3b@2xh200", stack: "sglang", load: users(8, 1000, 2000), tps: 937.94, source: nextH200},
	{id: "qwen3-next-80b-a3b@8xh200", stack: "sglang", load: users(8, 1000, 2000), tps: 1239.43, source: nextH200},
	{id: "qwen3-next-80b-a3b@4xh20", stack: "sglang", load: users(32, 1000, 2000), tps: 2233.44, source: nextH20},
	{id: "qwen3-next-80b-a3b@8xh20", stack: "sglang", load: users(32, 1000, 2000), tps: 2704.56, miss: hybrids,
		source: nextH20},
	{id: "qwen3-30b-a3b-fp8@mi300x+kv-fp8", stack: "vllm", load: burst(200, 1000, 2000, 0), tps: 4336.96, source: rocm30},
	{id: "qwen3-235b-a22b-fp8@4xmi300x+kv-fp8", stack: "vllm", load: burst(200, 5000, 1000, 0), tps: 1032.81,
		source: rocm235},
	{id: "qwen3-235b-a22b-fp8@4xmi300x+kv-fp8", stack: "vllm", load: burst(200, 1000, 2000, 0), tps: 2358.50,
		source: rocm235},
	{id: "qwen3.5-35b-a3b-fp8@h200", stack: "vllm", load: burst(128, 2, 512, 0), tps: 6942, source: qwen35},
	{id: "gemma-3-4b@a100", stack: "vllm", load: users(1, 128, 128), ttft: 16.8, tpot: 8.4, miss: unknownA100,
		source: gemmaA100},
	{id: "gemma-3-4b@a100", stack: "vllm", load: users(1, 1024, 128), ttft: 62.7, tpot: 10.8, prefill: true,
		source: gemmaA100},
	{id: "gemma-3-4b@a100", stack: "vllm", load: users(1, 2048, 128), ttft: 107.7, tpot: 10.1, prefill: true,
		source: gemmaA100},
	{id: "gemma-3-4b@a100", stack: "vllm", load: users(1, 3072, 128), ttft: 157.6, tpot: 10.1, prefill: true,
		source: gemmaA100},
	{id: "gemma-3-4b@a100", stack: "vllm", load: users(1, 4096, 128), ttft: 208.0, tpot: 10.1, prefill: true,
		source: gemmaA100},
	{id: "qwen3-next-80b-a3b-q4@strixhalo", stack: "llama.cpp", load: users(1, 512, 1), ttft: 1764, prefill: true,
		miss: firstPort, source: strix},
	{id: "deepseek-r1@8xh200", stack: "sglang", load: users(8, 1024, 1024), tpot: 12.8, tps: 597, source: inferenceX},
	{id: "deepseek-r1@8xh200", stack: "sglang", load: users(16, 1024, 1024), tpot: 17.2, tps: 895, source: inferenceX},
	{id: "deepseek-r1@8xh200", stack: "sglang", load: users(64, 1024, 1024), tpot: 34.6, tps: 1789, source: inferenceX},
}
