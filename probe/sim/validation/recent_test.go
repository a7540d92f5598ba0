package validation

import "tokscope/probe/sim/engine"

// Sources of the recent rows.
const (
	sgR1      = "SGLang cookbook, DeepSeek-R1, SGLang 0.5.6 (February 2026)"
	sgV31     = "SGLang cookbook, DeepSeek-V3.1, SGLang 0.5.7 (February 2026)"
	sgOSS     = "SGLang cookbook, gpt-oss, SGLang 0.5.6 (2026)"
	sgM2      = "SGLang cookbook, MiniMax-M2, SGLang 0.5.7 (March 2026)"
	sgM27     = "SGLang cookbook, MiniMax-M2.7, SGLang 0.5.10 (May 2026)"
	sgLlama4  = "SGLang cookbook, Llama 4, SGLang 0.5.9 (March 2026)"
	sgGemma4  = "SGLang cookbook, Gemma 4, a branch of SGLang (April 2026)"
	nebius    = "GloriaXimingLu/inferencex-profiling, vLLM 0.22 (June 2026)"
	kv8       = "vLLM blog, FP8 KV cache, vLLM 0.19.1 (April 2026); the precision of the weights is not stated"
	recipeK2  = "vllm-project/recipes, Kimi-K2-Thinking (November 2025)"
	vllm23696 = "vLLM pull request 23696 (August 2025)"
)

const (
	cold     = "the first answers of a server that has just started pull the mean: its published median is lower"
	lab      = "bursts of long prompts are slower in this lab than elsewhere; the cause is not known"
	again    = "its first prompts are those of the run before, so that a cache may have had them"
	launches = "host launches of SGLang in 2025 are DeepSeek's here: 0.35 ms a layer fit this row, with its fused experts"
	amdLoad  = "batches of a hundred in 16 bits are slower on AMD than the shares of large products say"
)

// client is users of a closed loop whose client sends so many requests, all users at
// once first. Lengths vary by vary, as Workload.Vary.
func client(n, requests, prompt, output int, vary float64) engine.Workload {
	return engine.Workload{Users: n, Requests: requests, Prompt: prompt, Output: output, Vary: vary, LockStep: true}
}

// recent holds rows of software from August 2025 to June 2026. A coin for each
// page chose them among more, before any was replayed.
var recent = []row{
	{id: "deepseek-r1@8xb200", stack: "sglang2025", load: client(1, 10, 610, 421, .54), tpot: 9.16, source: sgR1},
	{id: "deepseek-r1@8xb200", stack: "sglang2025", load: client(16, 80, 496, 509, .54), ttft: 273.51, tpot: 17.56, tps: 795.3, loaded: true, miss: cold, source: sgR1},
	{id: "deepseek-r1@8xb200", stack: "sglang2025", load: client(100, 500, 500, 504, .54), ttft: 563.14, tpot: 40.11, tps: 2282.9, loaded: true, miss: cold, source: sgR1},
	{id: "deepseek-r1@8xb200", stack: "sglang2025", load: client(1, 10, 610, 4445, .54), tpot: 9.21, source: sgR1},
	{id: "deepseek-r1@8xb200", stack: "sglang2025", load: client(16, 80, 496, 3978, .54), ttft: 176.02, tpot: 15.42, tps: 912.02, loaded: true, source: sgR1},
	{id: "deepseek-r1@8xb200", stack: "sglang2025", load: client(64, 320, 497, 4065, .54), ttft: 223.91, tpot: 25.94, tps: 2207.16, loaded: true, source: sgR1},
	{id: "deepseek-r1@8xb200", stack: "sglang2025", load: client(1, 10, 4194, 421, .54), ttft: 154.96, tpot: 9.26, prefill: true, source: sgR1},
	{id: "deepseek-r1@8xb200", stack: "sglang2025", load: client(16, 80, 3750, 520, .54), ttft: 486.8, tpot: 19.06, tps: 733.41, loaded: true, miss: cold, source: sgR1},
	{id: "deepseek-r1@8xb200", stack: "sglang2025", load: client(64, 320, 3981, 530, .54), ttft: 913.93, tpot: 39.93, tps: 1468.5, loaded: true, source: sgR1},
	{id: "deepseek-v3.1@8xmi300x", stack: "sglang2025", load: client(1, 10, 610, 422, .54), tpot: 23.84, derived: true, source: sgV31},
	{id: "deepseek-v3.1@8xmi300x", stack: "sglang2025", load: client(16, 80, 496, 510, .54), ttft: 607.91, tpot: 35.5, tps: 378.84, loaded: true, miss: cold, source: sgV31},
	{id: "deepseek-v3.1@8xmi300x", stack: "sglang2025", load: client(100, 500, 500, 505, .54), ttft: 835.15, tpot: 73.33, tps: 1216.79, loaded: true, source: sgV31},
	{id: "deepseek-v3.1@8xmi300x", stack: "sglang2025", load: client(1, 10, 610, 4446, .54), tpot: 24.41, source: sgV31},
	{id: "deepseek-v3.1@8xmi300x", stack: "sglang2025", load: client(16, 80, 496, 3979, .54), ttft: 214.35, tpot: 33.72, tps: 410.7, loaded: true, source: sgV31},
	{id: "deepseek-v3.1@8xmi300x", stack: "sglang2025", load: client(64, 320, 497, 4066, .54), ttft: 317.68, tpot: 53.3, tps: 1056.05, loaded: true, miss: again, source: sgV31},
	{id: "deepseek-v3.1@8xmi300x", stack: "sglang2025", load: client(1, 10, 4194, 422, .54), ttft: 481.38, tpot: 24.93, prefill: true, derived: true, source: sgV31},
	{id: "deepseek-v3.1@8xmi300x", stack: "sglang2025", load: client(16, 80, 3750, 521, .54), ttft: 1784.3, tpot: 53.65, tps: 256.7, loaded: true, miss: cold, source: sgV31},
	{id: "deepseek-v3.1@8xmi300x", stack: "sglang2025", load: client(64, 320, 3981, 531, .54), ttft: 786.69, tpot: 97.93, tps: 601.67, loaded: true, miss: again, source: sgV31},
	{id: "gpt-oss-120b@8xb200", stack: "sglang2025", load: client(1, 100, 332, 213, 1), tpot: 2.31, source: sgOSS},
	{id: "gpt-oss-120b@8xb200", stack: "sglang2025", load: client(100, 1000, 297, 192, 1), ttft: 102.94, tpot: 14.31, tps: 7773.26, loaded: true, miss: launches, source: sgOSS},
	{id: "minimax-m2@4xmi300x", stack: "sglang2025", load: client(1, 10, 610, 422, .54), tpot: 22.21, source: sgM2},
	{id: "minimax-m2@4xmi300x", stack: "sglang2025", load: client(16, 80, 496, 510, .54), ttft: 532.32, tpot: 27.49, tps: 503.32, loaded: true, miss: cold, source: sgM2},
	{id: "minimax-m2@4xmi300x", stack: "sglang2025", load: client(100, 500, 500, 505, .54), ttft: 387.41, tpot: 55.23, tps: 1643.75, loaded: true, source: sgM2},
	{id: "minimax-m2.7@2xgb300", stack: "sglang", load: client(1, 10, 610, 422, .54), tpot: 8.02, source: sgM27},
	{id: "minimax-m2.7@2xgb300", stack: "sglang", load: client(100, 500, 500, 505, .54), ttft: 247.94, tpot: 35.75, tps: 2521.66, loaded: true, source: sgM27},
	{id: "llama-4-scout@8xmi300x", stack: "sglang2025", load: client(1, 10, 610, 422, .54), tpot: 7.49, source: sgLlama4},
	{id: "llama-4-scout@8xmi300x", stack: "sglang2025", load: client(16, 80, 621, 510, .54), ttft: 124.44, tpot: 11.88, tps: 1152.47, loaded: true, source: sgLlama4},
	{id: "llama-4-scout@8xmi300x", stack: "sglang2025", load: client(100, 500, 500, 505, .54), ttft: 204.46, tpot: 41.56, tps: 2944.82, loaded: true, miss: amdLoad, source: sgLlama4},
	{id: "llama-4-maverick@8xmi300x", stack: "sglang2025", load: client(1, 10, 610, 422, .54), tpot: 5.95, source: sgLlama4},
	{id: "llama-4-maverick@8xmi300x", stack: "sglang2025", load: client(16, 80, 496, 510, .54), ttft: 259.3, tpot: 10.53, tps: 1328.41, loaded: true, miss: cold, source: sgLlama4},
	{id: "llama-4-maverick@8xmi300x", stack: "sglang2025", load: client(100, 500, 500, 505, .54), ttft: 188.19, tpot: 33.63, tps: 2777.9, loaded: true, source: sgLlama4},
	{id: "gemma-4-31b@2xh200", stack: "sglang", load: client(1, 10, 610, 422, .54), tpot: 12.32, derived: true, source: sgGemma4},
	{id: "gemma-4-31b@2xh200", stack: "sglang", load: client(100, 1000, 513, 511, .54), ttft: 324.67, tpot: 33.95, tps: 2806.82, loaded: true, source: sgGemma4},
	{id: "gemma-4-26b-a4b@h200", stack: "sglang", load: client(1, 10, 610, 422, .54), tpot: 5.6, source: sgGemma4},
	{id: "gemma-4-26b-a4b@h200", stack: "sglang", load: client(100, 1000, 513, 511, .54), ttft: 153.77, tpot: 25.95, tps: 3675.81, loaded: true, source: sgGemma4},
	{id: "gemma-4-31b@mi300x", stack: "sglang", load: client(1, 10, 610, 422, .54), tpot: 24.13, source: sgGemma4},
	{id: "gemma-4-31b@mi300x", stack: "sglang", load: client(100, 1000, 513, 511, .54), ttft: 819.22, tpot: 82.51, tps: 1156.85, loaded: true, miss: amdLoad, source: sgGemma4},
	{id: "gemma-4-26b-a4b@mi300x", stack: "sglang", load: client(1, 10, 610, 422, .54), tpot: 9.78, source: sgGemma4},
	{id: "gemma-4-26b-a4b@mi300x", stack: "sglang", load: client(100, 1000, 513, 511, .54), ttft: 168.44, tpot: 41.23, tps: 2328.05, loaded: true, miss: amdLoad, source: sgGemma4},
	{id: "deepseek-r1@8xh200", stack: "vllm2025", load: burst(500, 3995, 200, 0), ttft: 63058.7, total: 15808.5, loaded: true, miss: lab, source: stack},
	{id: "deepseek-r1@8xh200", stack: "vllm2025", load: burst(500, 1997, 100, 0), ttft: 28911.9, total: 17690.9, loaded: true, miss: lab, source: stack},
	{id: "deepseek-r1@8xh200", stack: "vllm2025", load: burst(100, 31999, 100, 0), ttft: 101352, total: 15514.6, loaded: true, source: stack},
	{id: "deepseek-r1@8xh200", stack: "vllm2025", load: client(4, 100, 228, 213, 1), ttft: 123.3, tpot: 19.36, tps: 196.81, loaded: true, miss: lab, source: stack},
	{id: "deepseek-r1@8xh200", stack: "sglang2025", load: burst(1000, 219, 201, 1), tps: 3172.46, source: stack},
	{id: "glm-4.6@8xh100", stack: "vllm2025", load: burst(1000, 214, 200, 1), ttft: 26751.3, tps: 1528.16, loaded: true, miss: lab, source: stack},
	{id: "glm-4.6@8xh100", stack: "sglang2025", load: burst(1000, 214, 200, 1), ttft: 17555.9, tps: 1831.3, loaded: true, miss: lab, source: stack},
	{id: "qwen3-235b-a22b@8xh100", stack: "vllm2025", load: burst(500, 1996, 99, 0), ttft: 21313.8, total: 23858.7, loaded: true, source: stack},
	{id: "qwen3-235b-a22b@8xh100", stack: "vllm2025", load: burst(100, 32000, 82, 0), ttft: 70409.6, total: 22657.5, loaded: true, source: stack},
	{id: "qwen3-235b-a22b-fp8@4xh100", stack: "vllm2025", load: burst(500, 1996, 99, 0), ttft: 26861, total: 18950, loaded: true, source: stack},
	{id: "qwen3-14b@h100", stack: "vllm2025", load: burst(500, 3996, 200, 0), ttft: 112717, total: 9218.03, loaded: true, miss: lab, source: stack},
	{id: "qwen3-14b@h100", stack: "vllm2025", load: burst(500, 1996, 100, 0), ttft: 50716.1, total: 10597.2, loaded: true, miss: lab, source: stack},
	{id: "qwen3-14b-fp8@h100", stack: "sglang2025", load: burst(500, 3996, 200, 0), ttft: 82073.5, total: 12257.6, loaded: true, miss: lab, source: stack},
	{id: "qwen3-14b-fp8@h100", stack: "sglang2025", load: burst(500, 1996, 100, 0), ttft: 33245.1, total: 14764.3, loaded: true, miss: lab, source: stack},
	{id: "qwen3-14b@a100", stack: "vllm2025", load: burst(500, 1996, 100, 0), ttft: 86908.3, loaded: true, source: stack},
	{id: "qwen3-32b@a100", stack: "vllm2025", load: burst(500, 1996, 100, 0), ttft: 208397, loaded: true, source: stack},
	{id: "qwen3-32b@a100", stack: "vllm2025", load: burst(500, 3996, 200, 0), ttft: 566580, loaded: true, source: stack},
	{id: "qwen3-32b@a100", stack: "trtllm", load: burst(500, 1996, 100, 0), ttft: 189776, loaded: true, source: stack},
	{id: "gpt-oss-120b@h200", stack: "vllm2026", load: client(1, 10, 7244, 911, .07), ttft: 328.85, tpot: 4.31, tps: 213.58, prefill: true, source: nebius},
	{id: "gpt-oss-120b@h200", stack: "vllm2026", load: client(4, 40, 7190, 897, .07), ttft: 402.85, tpot: 7.127, tps: 519.49, loaded: true, source: nebius},
	{id: "gpt-oss-120b@h200", stack: "vllm2026", load: client(16, 160, 7166, 896, .07), ttft: 649.79, tpot: 15.952, tps: 945.58, loaded: true, source: nebius},
	{id: "gpt-oss-120b@h200", stack: "vllm2026", load: client(64, 640, 7221, 901, .07), ttft: 1526.22, tpot: 41.732, tps: 1455.19, loaded: true, source: nebius},
	{id: "gpt-oss-120b@h200", stack: "vllm2026", load: client(128, 1280, 7208, 898, .07), ttft: 2656, tpot: 74, tps: 1646.64, loaded: true, source: nebius},
	{id: "gpt-oss-120b@h200", stack: "vllm2026", load: client(256, 2560, 7197, 901, .07), ttft: 25546.5, tps: 1722.02, loaded: true, miss: queueing, source: nebius},
	{id: "gpt-oss-120b@h200", stack: "vllm2026", load: client(4, 40, 927, 918, .07), ttft: 90, tpot: 6.37, tps: 603.56, loaded: true, source: nebius},
	{id: "gpt-oss-120b@h200", stack: "vllm2026", load: client(64, 640, 922, 922, .07), ttft: 265, tpot: 23.63, tps: 2625.16, loaded: true, source: nebius},
	{id: "llama-3.1-8b@h100+kv-bf16", stack: "vllm2026", load: engine.Workload{Users: 8, Prompt: 20000, Output: 2000, Vary: .07}, tps: 450.3, source: kv8},
	{id: "llama-3.1-8b@h100+kv-fp8", stack: "vllm2026", load: engine.Workload{Users: 8, Prompt: 20000, Output: 2000, Vary: .07}, tps: 517.5, source: kv8},
	{id: "gpt-oss-20b@h100+kv-bf16", stack: "vllm2026", load: engine.Workload{Users: 8, Prompt: 20000, Output: 2000, Vary: .07}, tps: 831.6, source: kv8},
	{id: "gpt-oss-20b@h100+kv-fp8", stack: "vllm2026", load: engine.Workload{Users: 8, Prompt: 20000, Output: 2000, Vary: .07}, tps: 853, source: kv8},
	{id: "gpt-oss-120b@h200+kv-bf16", stack: "bench", load: burst(3000, 1024, 1024, 0), tps: 6798, source: trt12},
	{id: "gpt-oss-120b@h200+kv-bf16", stack: "bench", load: burst(1500, 1024, 8192, 0), tps: 3543, source: trt12},
	{id: "gpt-oss-120b@h200+kv-bf16", stack: "bench", load: burst(1500, 8192, 1024, 0), tps: 1828, source: trt12},
	{id: "gpt-oss-120b@h200+kv-bf16", stack: "bench", load: burst(1000, 32768, 1024, 0), tps: 519, source: trt12},
	{id: "gpt-oss-120b@gb200+kv-fp8", stack: "bench", load: burst(3000, 1024, 1024, 0), tps: 26609, source: trt12},
	{id: "gpt-oss-120b@gb200+kv-fp8", stack: "bench", load: burst(1500, 8192, 1024, 0), tps: 6835, source: trt12},
	{id: "gpt-oss-120b@2xb200+ep+kv-fp8", stack: "bench", load: burst(1500, 1024, 8192, 0), tps: 34578, source: trt12},
	{id: "gpt-oss-120b@2xb200+ep+kv-fp8", stack: "bench", load: burst(1000, 32768, 1024, 0), tps: 2784, source: trt12},
	{id: "gpt-oss-20b@b200+kv-fp8", stack: "bench", load: burst(3000, 1024, 1024, 0), tps: 53491, source: trt12},
	{id: "gpt-oss-20b@b200+kv-fp8", stack: "bench", load: burst(1500, 8192, 1024, 0), tps: 11904, source: trt12},
	{id: "gpt-oss-20b@h200+kv-bf16", stack: "bench", load: burst(3000, 1024, 1024, 0), tps: 13890, source: trt12},
	{id: "gpt-oss-20b@h200+kv-bf16", stack: "bench", load: burst(1500, 8192, 1024, 0), tps: 4015, source: trt12},
	{id: "gpt-oss-20b@h100+kv-bf16", stack: "bench", load: burst(3000, 1024, 1024, 0), tps: 11403, source: trt12},
	{id: "gpt-oss-20b@h100+kv-bf16", stack: "bench", load: burst(1500, 8192, 1024, 0), tps: 3366, source: trt12},
	{id: "gpt-oss-20b@h100+kv-bf16", stack: "bench", load: burst(1500, 1024, 8192, 0), tps: 8617, source: trt12},
	{id: "deepseek-r1-nvfp4@4xb200+ep+kv-fp8", stack: "bench", load: burst(1500, 1024, 8192, 0), tps: 15448, source: trt12},
	{id: "deepseek-r1@8xh200+ep+kv-fp8", stack: "bench", load: burst(1500, 1024, 8192, 0), tps: 9744, source: trt12},
	{id: "deepseek-r1@8xh200", stack: "sglang2025", load: users(4, 1024, 8192), tpot: 10.93, source: inferenceX},
	{id: "deepseek-r1@8xh200", stack: "sglang2025", load: users(4, 8192, 1024), ttft: 474.3, tpot: 12.05, tps: 311.2, loaded: true, source: inferenceX},
	{id: "deepseek-r1-nvfp4@8xb200", stack: "sglang2025", load: users(8, 1024, 1024), ttft: 197.2, tps: 838.4, loaded: true, miss: cold, source: inferenceX},
	{id: "deepseek-r1-nvfp4@8xb200", stack: "sglang2025", load: users(16, 1024, 1024), ttft: 354.9, tps: 1354.4, loaded: true, miss: cold, source: inferenceX},
	{id: "deepseek-r1-nvfp4@8xb200", stack: "sglang2025", load: users(32, 1024, 1024), ttft: 394.4, tps: 2259.2, loaded: true, miss: cold, source: inferenceX},
	{id: "kimi-k2.5@8xh200", stack: "vllm2025", load: burst(998, 8000, 390, 0), total: 10462.6, miss: tails, source: recipeK2},
	{id: "gpt-oss-120b@8xb200", stack: "vllm2025", load: burst(1000, 215, 197, 1), tps: 7404.72, miss: tails, source: vllm23696},
}
