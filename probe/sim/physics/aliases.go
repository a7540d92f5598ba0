package physics

// machineAliases are further names that people type for built-in machines.
var machineAliases = map[string]string{
	"a100-80": "a100", "a100-80gb": "a100", "a100-sxm": "a100", "a100-40gb": "a100-40",
	"h100-sxm": "h100", "h100-80gb": "h100", "h200-sxm": "h200", "b200-sxm": "b200", "b300-sxm": "b300",
	"3090": "rtx3090", "4080": "rtx4080", "4090": "rtx4090", "5080": "rtx5080", "5090": "rtx5090",
	"rtx-3090": "rtx3090", "rtx-4080": "rtx4080", "rtx-4090": "rtx4090", "rtx-5080": "rtx5080", "rtx-5090": "rtx5090",
	"7900xtx": "rx7900xtx", "rx-7900-xtx": "rx7900xtx", "pro6000": "rtxpro6000", "rtx-pro-6000": "rtxpro6000",
	"spark": "dgx-spark", "gb10": "dgx-spark", "strix-halo": "strixhalo", "ai-max-395": "strixhalo",
	"5070": "rtx5070", "5070ti": "rtx5070ti", "5060ti": "rtx5060ti", "rtx-5070": "rtx5070", "rtx-5070-ti": "rtx5070ti",
	"rtx-5060-ti": "rtx5060ti", "7900xt": "rx7900xt", "rx-7900-xt": "rx7900xt", "9070xt": "rx9070xt", "rx-9070-xt": "rx9070xt",
	"arc-b580": "b580", "pro6000-ws": "rtxpro6000-ws", "m5-pro": "m5pro",
	"m1-max": "m1max", "m2-max": "m2max", "m3-max": "m3max", "m4-max": "m4max", "m5-max": "m5max",
	"m4-pro": "m4pro", "m2-ultra": "m2ultra", "m3-ultra": "m3ultra",
	"v5e": "tpu-v5e", "v5p": "tpu-v5p", "v6e": "tpu-v6e", "trillium": "tpu-v6e", "ironwood": "tpu-v7", "tpu7x": "tpu-v7",
	"trn2": "trainium2", "gaudi-3": "gaudi3", "lpu": "groq", "wse-3": "cerebras", "cpu": "laptop",
}

// modelAliases are further names that people type for built-in models: short
// ones, those of other releases with the same shape, and Ollama's tags.
var modelAliases = map[string]string{
	"llama-8b": "llama-3.1-8b", "llama3.1:8b": "llama-3.1-8b", "llama-3.1-8b-instruct": "llama-3.1-8b",
	"llama-70b": "llama-3.3-70b", "llama-3.1-70b": "llama-3.3-70b", "llama3.1:70b": "llama-3.3-70b", "llama3.3:70b": "llama-3.3-70b", "llama-3.3-70b-instruct": "llama-3.3-70b",
	"llama-405b": "llama-3.1-405b", "llama3.1:405b": "llama-3.1-405b", "llama3.2:1b": "llama-3.2-1b", "llama3.2:3b": "llama-3.2-3b",
	"scout": "llama-4-scout", "llama4:scout": "llama-4-scout", "maverick": "llama-4-maverick", "llama4:maverick": "llama-4-maverick",
	"mistral": "mistral-7b", "nemo": "mistral-nemo-12b", "mistral-nemo": "mistral-nemo-12b", "mistral-small": "mistral-small-3", "mistral-small-24b": "mistral-small-3", "mistral-small:24b": "mistral-small-3",
	"mixtral": "mixtral-8x7b", "mixtral:8x7b": "mixtral-8x7b", "mixtral:8x22b": "mixtral-8x22b", "codellama": "codellama-34b", "codellama:34b": "codellama-34b",
	"phi4": "phi-4", "phi4:14b": "phi-4", "phi-4-14b": "phi-4", "gemma3:4b": "gemma-3-4b", "gemma3:12b": "gemma-3-12b", "gemma3:27b": "gemma-3-27b",
	"qwen3:0.6b": "qwen3-0.6b", "qwen3:1.7b": "qwen3-1.7b", "qwen3:4b": "qwen3-4b", "qwen3:8b": "qwen3-8b", "qwen3:14b": "qwen3-14b", "qwen3:32b": "qwen3-32b",
	"qwen3-30b": "qwen3-30b-a3b", "qwen3:30b": "qwen3-30b-a3b", "qwen3-235b": "qwen3-235b-a22b", "qwen3:235b": "qwen3-235b-a22b",
	"qwen3-coder": "qwen3-coder-30b-a3b", "qwen3-coder-30b": "qwen3-coder-30b-a3b", "qwen3-coder:30b": "qwen3-coder-30b-a3b",
	"qwen3-coder-480b": "qwen3-coder-480b-a35b", "qwen3-coder:480b": "qwen3-coder-480b-a35b", "qwen3-next": "qwen3-next-80b-a3b", "qwen3-next-80b": "qwen3-next-80b-a3b",
	"qwen3.5-35b": "qwen3.5-35b-a3b", "qwen3.5-122b": "qwen3.5-122b-a10b", "qwen3.5-397b": "qwen3.5-397b-a17b",
	"gpt-oss": "gpt-oss-120b", "gpt-oss:20b": "gpt-oss-20b", "gpt-oss:120b": "gpt-oss-120b",
	"r1": "deepseek-r1", "deepseek-r1:671b": "deepseek-r1", "v3": "deepseek-v3", "v3.1": "deepseek-v3.1", "v3.2": "deepseek-v3.2",
	"kimi-linear": "kimi-linear-48b-a3b", "kimi-linear-48b": "kimi-linear-48b-a3b", "nemotron-h": "nemotron-h-8b", "nemotron-nano": "nemotron-nano-9b-v2", "nemotron": "nemotron-nano-9b-v2",
	"qwen3.6-27b": "qwen3.5-27b", "qwen3.6-35b-a3b": "qwen3.5-35b-a3b", "qwen3.6-35b": "qwen3.5-35b-a3b",
	"qwen3-coder-next": "qwen3-next-80b-a3b", "gemma4:31b": "gemma-4-31b", "gemma4:26b": "gemma-4-26b-a4b",
	"kimi-k2.6": "kimi-k2.5", "kimi-k2.7-code": "kimi-k2.5", "kimi-k2-thinking": "kimi-k2.5", "k2.5": "kimi-k2.5", "k2.6": "kimi-k2.5",
	"minimax-m2.1": "minimax-m2", "minimax-m2.5": "minimax-m2", "glm-4.7": "glm-4.6", "glm-5.1": "glm-5",
	"nemotron-3-nano-30b-a3b": "nemotron-3-nano", "m3": "minimax-m3",
	"kimi": "kimi-k2", "k2": "kimi-k2", "glm": "glm-4.6", "glm-air": "glm-4.5-air", "minimax": "minimax-m2",
}
