package validation

// sealedPrompts holds the sealed rows of prompts.
var sealedPrompts = []row{
	{id: "llama-3.1-8b-q4@rtx3090", stack: "llama.cpp2024", load: users(1, 512, 1), ttft: 127.0, prefill: true, source: llamacpp},
	{id: "llama-3.1-8b-q4@rtx4080", stack: "llama.cpp2024", load: users(1, 512, 1), ttft: 95.00, prefill: true, source: llamacpp},
	{id: "llama-3.1-8b-q4@rtx4080", stack: "llama.cpp2024", load: users(1, 4096, 1), ttft: 1080, prefill: true, source: llamacpp},
	{id: "llama-3.1-8b@m2ultra", stack: "llama.cpp2024", load: users(1, 8192, 1), ttft: 7424, prefill: true, source: llamacpp},
	{id: "llama-3.1-8b-q4@m3max", stack: "llama.cpp2024", load: users(1, 8192, 1), ttft: 16210, prefill: true, source: llamacpp},
	{id: "llama-3.1-8b@m3max", stack: "llama.cpp2024", load: users(1, 8192, 1), ttft: 15900, prefill: true, source: llamacpp},
	{id: "llama-3.3-70b-q4@m3max", stack: "mlx", quant: "mlx4", load: users(1, 8015, 786), ttft: 107100, tpot: 117.4, prefill: true, source: mlx1029},
	{id: "llama-3.3-70b-q4@m3max", stack: "mlx", quant: "mlx4", load: users(1, 16003, 459), ttft: 235500, tpot: 128.6, prefill: true, source: mlx1029},
	{id: "mistral-7b-q4@m2ultra", stack: "mlx", quant: "mlx4", load: users(1, 33898, 1), ttft: 38990, prefill: true, source: mlx40},
	{id: "deepseek-r1-q4@m3ultra", stack: "llama.cpp", load: users(1, 4096, 1), ttft: 25660, prefill: true, source: beowulf},
	{id: "gpt-oss-120b@strixhalo", stack: "llama.cpp", load: users(1, 512, 128), ttft: 748.5, tpot: 24.08, prefill: true, source: framework},
	{id: "qwen2.5-7b-q4@strixhalo", stack: "llama.cpp", load: users(1, 3968, 128), ttft: 3093, tpot: 23.39, prefill: true, source: gfx59},
	{id: "llama-2-7b-q4@strixhalo", stack: "llama.cpp", load: users(1, 1920, 128), ttft: 1653, tpot: 28.93, prefill: true, source: gfx59},
	{id: "gpt-oss-20b@rtx3090", stack: "llama.cpp", budget: 16, load: users(1, 2048, 1), ttft: 1870, prefill: true, source: cuda22298},
	{id: "gpt-oss-20b@rtx3090", stack: "llama.cpp", budget: 32, load: users(1, 2048, 1), ttft: 1299, prefill: true, source: cuda22298},
	{id: "llama-2-70b-fp8@4xh100", stack: "eager", load: users(1, 2048, 1), ttft: 109, prefill: true, source: trt},
	{id: "gpt-j-6b@a100", stack: "eager", load: users(1, 128, 1), ttft: 12, prefill: true, source: trt},
	{id: "gpt-oss-20b@rtxpro6000", stack: "vllm", load: users(1, 128000, 1024), ttft: 21400, tpot: 9.479, prefill: true, source: millstone},
}
