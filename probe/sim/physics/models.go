package physics

// Models lists every named model, in the order in which they are shown. The
// columns are those of the published config.json files. The totals computed
// from them match the published sizes (models_test.go).
var Models = []Model{
	{Key: "llama-3.1-8b", Name: "Llama 3.1 8B", Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 8, HeadDim: 128, FFN: 14336, Vocab: 128256, Context: 131072},
	{Key: "llama-3.3-70b", Name: "Llama 3.3 70B", Layers: 80, Hidden: 8192, Heads: 64, KVHeads: 8, HeadDim: 128, FFN: 28672, Vocab: 128256, Context: 131072},
	{Key: "llama-3.1-405b", Name: "Llama 3.1 405B", Layers: 126, Hidden: 16384, Heads: 128, KVHeads: 8, HeadDim: 128, FFN: 53248, Vocab: 128256, Context: 131072, Native: "fp8"},
	{Key: "llama-3.2-1b", Name: "Llama 3.2 1B", Layers: 16, Hidden: 2048, Heads: 32, KVHeads: 8, HeadDim: 64, FFN: 8192, Vocab: 128256, Tied: true, Context: 131072},
	{Key: "llama-3.2-3b", Name: "Llama 3.2 3B", Layers: 28, Hidden: 3072, Heads: 24, KVHeads: 8, HeadDim: 128, FFN: 8192, Vocab: 128256, Tied: true, Context: 131072},
	{Key: "llama-2-7b", Name: "Llama 2 7B", Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 32, HeadDim: 128, FFN: 11008, Vocab: 32000, Context: 4096},
	{Key: "llama-2-13b", Name: "Llama 2 13B", Layers: 40, Hidden: 5120, Heads: 40, KVHeads: 40, HeadDim: 128, FFN: 13824, Vocab: 32000, Context: 4096},
	{Key: "llama-2-70b", Name: "Llama 2 70B", Layers: 80, Hidden: 8192, Heads: 64, KVHeads: 8, HeadDim: 128, FFN: 28672, Vocab: 32000, Context: 4096},
	{Key: "mistral-7b", Name: "Mistral 7B v0.3", Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 8, HeadDim: 128, FFN: 14336, Vocab: 32768, Context: 32768},
	{Key: "mistral-nemo-12b", Name: "Mistral Nemo 12B", Layers: 40, Hidden: 5120, Heads: 32, KVHeads: 8, HeadDim: 128, FFN: 14336, Vocab: 131072, Context: 131072},
	{Key: "mixtral-8x7b", Name: "Mixtral 8x7B", Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 8, HeadDim: 128, Experts: 8, TopK: 2, ExpertFFN: 14336, Vocab: 32000, Context: 32768},
	{Key: "qwen2.5-7b", Name: "Qwen2.5 7B", Layers: 28, Hidden: 3584, Heads: 28, KVHeads: 4, HeadDim: 128, FFN: 18944, Vocab: 152064, Context: 131072},
	{Key: "qwen3-0.6b", Name: "Qwen3 0.6B", Layers: 28, Hidden: 1024, Heads: 16, KVHeads: 8, HeadDim: 128, FFN: 3072, Vocab: 151936, Tied: true, Context: 40960, Reasoning: true},
	{Key: "qwen3-8b", Name: "Qwen3 8B", Layers: 36, Hidden: 4096, Heads: 32, KVHeads: 8, HeadDim: 128, FFN: 12288, Vocab: 151936, Context: 40960, Reasoning: true},
	{Key: "qwen3-14b", Name: "Qwen3 14B", Layers: 40, Hidden: 5120, Heads: 40, KVHeads: 8, HeadDim: 128, FFN: 17408, Vocab: 151936, Context: 40960, Reasoning: true},
	{Key: "qwen3-32b", Name: "Qwen3 32B", Layers: 64, Hidden: 5120, Heads: 64, KVHeads: 8, HeadDim: 128, FFN: 25600, Vocab: 151936, Context: 40960, Reasoning: true},
	{Key: "qwen3-30b-a3b", Name: "Qwen3 30B-A3B", Layers: 48, Hidden: 2048, Heads: 32, KVHeads: 4, HeadDim: 128, Experts: 128, TopK: 8, ExpertFFN: 768, Vocab: 151936, Context: 40960, Reasoning: true},
	{Key: "qwen3-235b-a22b", Name: "Qwen3 235B-A22B", Layers: 94, Hidden: 4096, Heads: 64, KVHeads: 4, HeadDim: 128, Experts: 128, TopK: 8, ExpertFFN: 1536, Vocab: 151936, Context: 40960, Native: "fp8", Reasoning: true},
	{Key: "gpt-oss-20b", Name: "gpt-oss 20B", Layers: 24, Hidden: 2880, Heads: 64, KVHeads: 8, HeadDim: 64, Experts: 32, TopK: 4, ExpertFFN: 2880, Vocab: 201088, Window: 128, Context: 131072, Native: "mxfp4", Reasoning: true},
	{Key: "gpt-oss-120b", Name: "gpt-oss 120B", Layers: 36, Hidden: 2880, Heads: 64, KVHeads: 8, HeadDim: 64, Experts: 128, TopK: 4, ExpertFFN: 2880, Vocab: 201088, Window: 128, Context: 131072, Native: "mxfp4", Reasoning: true},
	{Key: "deepseek-r1", Name: "DeepSeek R1", Layers: 61, Hidden: 7168, Heads: 128, KVHeads: 128, HeadDim: 128, FFN: 18432, Experts: 256, TopK: 8, ExpertFFN: 2048, Shared: 1, Dense: 3, MLA: &MLA{Latent: 512, Rope: 64, Query: 1536, Nope: 128, Value: 128}, Vocab: 129280, Context: 131072, Native: "fp8", Reasoning: true},
	{Key: "minimax-m2", Name: "MiniMax M2", Layers: 62, Hidden: 3072, Heads: 48, KVHeads: 8, HeadDim: 128, Experts: 256, TopK: 8, ExpertFFN: 1536, Vocab: 200064, Context: 196608, Native: "fp8", Reasoning: true},
	{Key: "yi-34b", Name: "Yi 34B", Layers: 60, Hidden: 7168, Heads: 56, KVHeads: 8, HeadDim: 128, FFN: 20480, Vocab: 64000, Context: 4096},
	{Key: "gpt-j-6b", Name: "GPT-J 6B", Layers: 28, Hidden: 4096, Heads: 16, KVHeads: 16, HeadDim: 256, FFN: 16384, FFNMats: 2, Vocab: 50400, Context: 2048},
}

// ModelOf returns the model with this key. ok is false for an unknown key.
func ModelOf(key string) (m Model, ok bool) {
	for _, m := range Models {
		if m.Key == key {
			return m, true
		}
	}
	return Model{}, false
}
