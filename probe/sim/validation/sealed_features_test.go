package validation

import "tokscope/probe/sim/engine"

// sealedFeatures holds the third of those rows that nobody developed with.
// splitRule chose them before any was replayed.
var sealedFeatures = []row{
	{id: "gpt-oss-120b@2xb200+ep+kv-fp8", stack: "bench", load: burst(3000, 1024, 1024, 0), tps: 51740, source: trt12},
	{id: "gpt-oss-120b@2xb200+ep+kv-fp8", stack: "bench", load: burst(1500, 8192, 1024, 0), tps: 12222, source: trt12},
	{id: "gpt-oss-120b@4xh100+ep+kv-bf16", stack: "bench", load: burst(3000, 1024, 1024, 0), tps: 18860, source: trt12},
	{id: "qwen3-235b-a22b-nvfp4@4xb200+ep", stack: "bench", load: burst(3000, 1024, 1024, 0), tps: 23024, source: trt12},
	{id: "qwen3-235b-a22b-nvfp4@4xgb200+ep", stack: "bench", load: burst(3000, 1024, 1024, 0), tps: 23448, source: trt12},
	{id: "qwen3-235b-a22b-nvfp4@4xgb200+ep", stack: "bench", load: burst(1500, 8192, 1024, 0), tps: 5856, source: trt12},
	{id: "qwen3-235b-a22b-fp8@4xh200+ep", stack: "bench", load: burst(3000, 1024, 1024, 0), tps: 13072, source: trt12},
	{id: "llama-4-maverick-nvfp4@4xb200+ep", stack: "bench", load: burst(3000, 1024, 1024, 0), tps: 44908, source: trt12},
	{id: "llama-4-maverick-fp8@8xh200+ep", stack: "bench", load: burst(3000, 1024, 1024, 0), tps: 33440, source: trt12},
	{id: "deepseek-r1-nvfp4@8xb200+ep+kv-bf16", stack: "bench", budget: 12288, load: engine.Workload{Users: 3072,
		Requests: 12288, Prompt: 1024, Output: 2048}, tps: 36384, source: r1Practice},
	{id: "llama-3.1-8b@h100", stack: "vllm", load: users(1, 76, 212), tpot: 7.07, source: eagle},
	{id: "llama-3.1-8b@h100", stack: "vllm", draft: "eagle3:2", load: users(1, 76, 212), tpot: 4.32, source: eagle},
	{id: "llama-3.1-8b@h100", stack: "vllm", draft: "eagle3:4", load: users(1, 76, 212), tpot: 4.05, source: eagle},
	{id: "qwen3-next-80b-a3b@4xh200", stack: "sglang", load: users(8, 1000, 2000), tps: 1137.94, source: nextH200},
	{id: "qwen3-30b-a3b-fp8@mi300x+kv-fp8", stack: "vllm", load: burst(200, 5000, 1000, 0), tps: 1924.98, source: rocm30},
	{id: "qwen3-30b-a3b-fp8@mi300x+kv-fp8", stack: "vllm", load: burst(200, 10000, 500, 0), tps: 678.94, source: rocm30},
	{id: "qwen3-next-80b-a3b-q4@strixhalo", stack: "llama.cpp", load: users(1, 1, 128), tpot: 35.2, source: strix},
	{id: "deepseek-r1@8xh200", stack: "sglang", load: users(32, 1024, 1024), tpot: 25.6, tps: 1209, source: inferenceX},
}
