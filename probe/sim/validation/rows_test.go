package validation

import "tokscope/probe/sim/engine"

// row is one published measurement. A figure that was not published is 0.
type row struct {
	id     string // model@hardware as typed
	stack  string // "" is the usual stack
	draft  string // one of the drafts below
	quant  string // a format of hardware_test.go that replaces the precision of id
	mode   engine.Mode
	seqs   int // size of a static batch
	budget int // tokens of a step; 0 is the stack's
	load   engine.Workload

	ttft, tpot float64 // ms
	tps        float64 // output tokens per second
	total      float64 // prompt and output tokens per second
	// prefill marks rows whose TTFT is dominated by computing the prompt, with
	// a fully known workload. Only those count for the TTFT threshold.
	prefill bool
	// loaded marks rows whose TTFT is that of users who compete.
	loaded bool
	// derived marks rows that a constant of the model was derived from. They are
	// replayed, and not counted.
	derived bool
	// miss is why a figure may exceed the limit for single rows.
	miss   string
	source string
}

const (
	nim      = "NVIDIA NIM benchmarking guide, performance tables (NIM 1.8)"
	trt      = "TensorRT-LLM performance notes of the release (H100vsA100, performance, H200launch)"
	llamacpp = "XiongjieDai, GPU-Benchmarks-on-LLM-Inference"
	stack    = "gpustack performance lab"
	blis     = "inference-sim, sim-to-real accuracy validation (vLLM 0.15)"
	mtp      = "TensorRT-LLM tech blog 1 (DeepSeek-R1 on 8 B200)"

	nimCourse = "NVIDIA course on sizing inference, NIM of 2024, dataset/nim.csv (wbing520/ai-performance-engineering, " +
		"April 2025)"
	trt10     = "TensorRT-LLM 1.0, performance overview (September 2025)"
	spark     = "llama.cpp, benches/dgx-spark.md, build 6918 (November 2025)"
	cuda15631 = "llama.cpp pull request 15631 (September 2025)"
	cuda7676  = "llama.cpp pull request 7676 (June 2024)"
	continuum = "CambrianTech/continuum pull request 1627 (June 2026)"
	mlxlm     = "mlx-lm, BENCHMARKS.md, mlx 0.29.2 (October 2025)"
	mlx406    = "mlx-lm pull request 406 (August 2025)"
	mlx763    = "mlx-lm issue 763, its llama.cpp rows (January 2026)"
	oracle    = "Oracle cloud infrastructure blog, vLLM on MI300X (October 2024)"
	lambda    = "Lambda, inference models, MiniMax-M2.5 in SGLang (2026)"
)

const (
	queueing = "the queue's length hangs on the cache's exact size and on the client's start-up"
	frontEnd = "the HTTP front end dominates, and is not described"
	gptOSS   = "the first kernels of 2025 for gpt-oss read prompts at two thirds of the rate timed since"
	tails    = "lengths and client of the burst are not published"
	lockStep = "users that started together drift apart in a real client, and do not here"
	skewed   = "tokens of a batch choose the same experts more often than by chance; here all are as likely"
	kernelQ  = "the rate of quantized prompts is that of one card and one month; kernels and cards differ"
	tight    = "the weights leave little room, and the version's own memory decides how much"
)

// users ask again as soon as they are answered, spread over time.
func users(n, prompt, output int) engine.Workload {
	return engine.Workload{Users: n, Prompt: prompt, Output: output}
}

// together is users that start at the same moment, as those of GenAI-Perf and
// of vLLM's benchmark client do. Equal lengths keep them in lock-step.
func together(n, prompt, output int) engine.Workload {
	return engine.Workload{Users: n, Prompt: prompt, Output: output, LockStep: true}
}

func rate(perSecond float64, prompt, output int) engine.Workload {
	// The prompts of these runs repeat. How much of them is in the prefix cache is
	// unknown: that all but the last block or two are explains the published slope
	// of ITL over rate, and half of them the TTFT.
	return engine.Workload{Rate: perSecond, Requests: 300, Prompt: prompt, Output: output, Shared: prompt - 24}
}

func burst(n, prompt, output int, vary float64) engine.Workload {
	return engine.Workload{Burst: true, Requests: n, Prompt: prompt, Output: output, Vary: vary}
}

func static(n, prompt, output int) engine.Workload {
	return engine.Workload{Burst: true, Requests: n, Prompt: prompt, Output: output}
}

// rows are the measurements that the model was first built with.
var rows = []row{
	{id: "llama-3.3-70b-fp8@2xh100", stack: "nim", load: users(1, 5000, 500), ttft: 406.8, tpot: 18.58, tps: 51.7,
		prefill: true, source: nim},
	{id: "llama-3.3-70b-fp8@2xh100", stack: "nim", load: together(5, 5000, 500), ttft: 546.7, tpot: 21.83, tps: 218,
		miss: lockStep, prefill: true, source: nim},
	{id: "llama-3.3-70b-fp8@2xh100", stack: "nim", load: together(50, 5000, 500), ttft: 834.5, tpot: 59.73, tps: 814,
		loaded: true, source: nim},
	{id: "llama-3.3-70b-fp8@2xh100", stack: "nim", load: together(100, 5000, 500), ttft: 7996, tpot: 92.9, tps: 917,
		loaded: true, source: nim},
	{id: "llama-3.3-70b-fp8@2xh100", stack: "nim", load: together(250, 5000, 500), ttft: 88605, tpot: 93.2, tps: 920,
		loaded: true, source: nim},
	{id: "llama-3.1-8b-fp8@h100", stack: "nim", load: users(1, 200, 200), ttft: 10.3, tpot: 4.63, tps: 215, source: nim},
	{id: "llama-3.1-8b-fp8@h100", stack: "nim", load: together(25, 200, 200), ttft: 36.3, tpot: 5.19, tps: 4679,
		miss: lockStep, loaded: true, source: nim},
	{id: "llama-3.1-8b-fp8@h100", stack: "nim", load: together(100, 200, 200), ttft: 120, tpot: 7.57, tps: 12215,
		miss: lockStep, loaded: true, source: nim},
	{id: "llama-3.1-8b-fp8@h100", stack: "nim", load: together(250, 200, 200), ttft: 606, tpot: 16.1, tps: 12965,
		miss: frontEnd, loaded: true, derived: true, source: nim},

	{id: "llama-2-70b@4xa100", stack: "bench", load: users(1, 2048, 1), ttft: 377, prefill: true, source: trt},
	{id: "llama-2-7b-fp8@h100", stack: "bench", load: users(1, 2048, 1), ttft: 36, prefill: true, source: trt},
	{id: "llama-2-7b@a100", stack: "bench", load: users(1, 2048, 1), ttft: 133, prefill: true, source: trt},
	{id: "llama-2-7b-fp8@l40s", stack: "bench", load: users(1, 2048, 1), ttft: 73, prefill: true, source: trt},
	{id: "llama-2-7b@a100", stack: "bench", load: users(1, 128, 1), ttft: 16, prefill: true, source: trt},
	{id: "llama-2-7b-fp8@h100", stack: "bench", mode: engine.Static, seqs: 112, load: static(112, 128, 2048), tps: 6818,
		source: trt},
	{id: "llama-2-7b@a100", stack: "bench", mode: engine.Static, seqs: 384, load: static(384, 128, 128), tps: 5586,
		source: trt},
	{id: "llama-2-7b-fp8@l40s", stack: "bench", mode: engine.Static, seqs: 64, load: static(64, 128, 128), tps: 3240,
		source: trt},
	{id: "llama-2-13b-fp8@h200", stack: "bench", mode: engine.Static, seqs: 128, load: static(128, 128, 2048), tps: 4750,
		source: trt},
	{id: "gpt-j-6b-fp8@h100", stack: "eager", load: users(1, 128, 1), ttft: 7, prefill: true, derived: true, source: trt},
	{id: "gpt-j-6b-fp8@h100", stack: "eager", load: users(1, 2040, 1), ttft: 29, prefill: true, source: trt},

	{id: "llama-3.1-8b@rtx4090", stack: "llama.cpp2024", load: users(1, 1024, 256), ttft: 113, tpot: 18.4, tps: 0,
		prefill: true, derived: true, source: llamacpp},
	{id: "llama-3.1-8b-q4@rtx4090", stack: "llama.cpp2024", load: users(1, 1024, 256), ttft: 148, tpot: 7.83,
		prefill: true, source: llamacpp},
	{id: "llama-3.1-8b@m3max", load: users(1, 1024, 256), ttft: 1363, tpot: 44.7, prefill: true, source: llamacpp},
	{id: "llama-3.1-8b@m1max", load: users(1, 1024, 256), ttft: 2445, tpot: 54.3, prefill: true, source: llamacpp},
	{id: "llama-3.1-8b-q4@m3max", load: users(1, 1024, 256), ttft: 1510, tpot: 19.7, prefill: true, source: llamacpp},
	{id: "llama-3.1-8b-q4@m2ultra", load: users(1, 1024, 256), ttft: 1000, tpot: 13.1, prefill: true, source: llamacpp},

	{id: "qwen3-8b@h100", load: users(1, 233, 221), ttft: 59, tpot: 7.22, tps: 133, miss: frontEnd, source: stack},
	{id: "qwen3-8b-fp8@h100", load: users(4, 233, 221), ttft: 33.4, tpot: 5.58, tps: 658, loaded: true,
		source: stack + " (SGLang)"},
	{id: "llama-3.3-70b@4xh100", load: rate(2.5, 547, 248), ttft: 52.0, tpot: 17.08, loaded: true, derived: true,
		source: blis},
	{id: "mistral-nemo-12b@h100", load: rate(5, 566, 247), ttft: 31.9, tpot: 9.86, loaded: true, derived: true,
		source: blis},
	{id: "yi-34b@2xh100", load: rate(2.5, 547, 248), ttft: 46.7, tpot: 15.08, loaded: true, derived: true, source: blis},
	{id: "qwen2.5-7b@h100", load: rate(6, 750, 251), ttft: 26.7, tpot: 7.02, loaded: true, derived: true, source: blis},
	{id: "llama-3.1-8b@a100-40", load: users(1, 1024, 128), tpot: 13.3, tps: 75, source: "johnmusgrave.com, vLLM sweep"},
	{id: "llama-3.1-8b@a100-40", load: users(8, 1024, 128), tps: 495,
		source: "the same: 6.6 times the throughput with 8 users"},

	{id: "deepseek-r1-nvfp4@8xb200", stack: "nim", load: users(1, 1024, 2048), tpot: 9.0, tps: 111, source: mtp},
	{id: "deepseek-r1-nvfp4@8xb200", stack: "nim", draft: "mtp1", load: users(1, 1024, 2048), tpot: 5.05, source: mtp},
	{id: "deepseek-r1-nvfp4@8xb200", stack: "nim", draft: "mtp2", load: users(1, 1024, 2048), tpot: 4.00, source: mtp},
	{id: "deepseek-r1-nvfp4@8xb200", stack: "nim", draft: "mtp3", load: users(1, 1024, 2048), tpot: 3.95, source: mtp},
	{id: "deepseek-r1-nvfp4@8xb200", stack: "nim", draft: "mtp4", load: users(1, 1024, 2048), tpot: 4.08, source: mtp},
	{id: "deepseek-r1-nvfp4@8xb200", stack: "nim", draft: "mtp5", load: users(1, 1024, 2048), tpot: 4.18, source: mtp},
	{id: "llama-3.3-70b-fp8@h200", stack: "nim", load: users(1, 1024, 512), tpot: 19.6, tps: 51.1,
		source: "NVIDIA developer blog, Llama 3.3 with speculative decoding"},
	{id: "gpt-oss-120b@8xb200", stack: "trtllm", load: users(1, 1024, 512), tpot: 2.5, tps: 400,
		source: "Baseten engineering blog: TensorRT-LLM, TP8"},

	{id: "gpt-oss-20b@a100", load: burst(1000, 215, 194, 1), tps: 4620, source: stack},
	{id: "gpt-oss-120b@2xh100", load: burst(1000, 215, 196, 1), tps: 7649, source: stack},
	{id: "qwen3-14b@h100", load: burst(1000, 218, 201, 1), tps: 3174, miss: tails, source: stack},
	{id: "deepseek-r1@8xh200", load: burst(1000, 218, 201, 1), tps: 2621, source: stack},
	{id: "qwen3-14b@h100", load: burst(100, 32000, 100, 0), ttft: 191024, total: 8299, loaded: true, miss: lab,
		source: stack},
	{id: "gpt-oss-120b@h100", load: users(4, 32000, 100), total: 16136, source: stack},
	{id: "gpt-oss-120b@a100", load: users(4, 32000, 100), total: 4337, miss: gptOSS, source: stack},
}
