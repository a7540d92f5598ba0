package physics

import (
	"cmp"

	"tokscope/metrics/pick"
)

// Stack is the serving software around the kernels: its costs and its default
// limits. Times are in seconds.
type Stack struct {
	Key, Name string
	Request   float64 // latency of every request before its first step: parsing, tokenizing, templates
	Serial    float64 // the single-threaded part of Request; it caps the requests per second
	Step      float64 // per engine step
	Seq       float64 // per running sequence and step
	Token     float64 // front end, per streamed token; a step takes at least tokens·Token
	// Async schedules a step while the one before it runs. The host's time shows only
	// beyond the devices', and whoever comes meanwhile waits for one step more.
	Async bool
	Draft float64 // host time of a step that verifies guesses
	Guess float64 // host time of every guess of such a step
	// LaunchMoE is Launch of a layer with experts in a step of more than Graphs tokens,
	// which no graph replays. 0 means Launch.
	LaunchMoE float64
	Graphs    int
	Launch    float64 // host time per layer in a step with prefill, hidden unless the device is faster
	Budget    int     // tokens per step; 0: by the hardware's memory
	MaxSeqs   int     // sequences per step; 0: by the hardware's memory
	KV8       bool    // keeps the cache in 8 bits if the weights are
	// Windowless marks software that reserves the whole context for layers with
	// a window, which still attend to the window only.
	Windowless bool
	// memory of the runtime: context, graphs, buffers of the links; bytes. An estimate. 0 reserves nothing
	Overhead float64
	// Reserves marks software that admits a request when there is room for prompt and
	// output, so that nothing is ever preempted: TensorRT-LLM's GUARANTEED_NO_EVICT,
	// llama.cpp's slots. Others ask for room for the prompt: vLLM since March 2026
	// (scheduler_reserve_full_isl).
	Reserves bool
	Whole    bool    // a prompt that does not fit beside others of a step waits for the next one
	Share    float64 // usable share of the device's memory
	// Kernel16 and KernelQ are the shares of the matrix units' peak that the
	// stack's own kernels reach, for 16-bit and for narrower weights. 0 means
	// the vendor's kernels, which use fp8 and fp4 units.
	Kernel16, KernelQ float64
	// KernelG is KernelQ on GeForce cards. 0 means KernelQ.
	KernelG float64
	// Pass is the number of tokens that go through the weights at once, llama.cpp's
	// n_ubatch. 0 means all of a step.
	Pass int
	// Scores are the bytes moved for each score of attention over a prompt, in
	// software that writes them to memory. 0 means attention in one kernel.
	Scores float64
	// Widens marks llama.cpp before June 2024, which had matrix kernels for 16 bits
	// only. For more than 64 rows it wrote quantized weights in 16 bits first.
	Widens bool
	// Attn is the share of the bf16 peak that attention over a very long prompt
	// reaches, AttnHalf the length in tokens at which it reaches half of that. 0
	// means 0.65 and 1100.
	Attn, AttnHalf float64
	// Latent is what a layer takes beyond others, in seconds, for latent attention.
	// Sparse is the same with an indexer. 0 is that of early 2025: 45 and 105 µs.
	Latent, Sparse float64
	// Grouped is the part of the rate of TensorRT-LLM's products of experts that
	// this software's reach, without scales for blocks. 0 means all of it.
	Grouped float64
	// Blocks is what a product in 8 bits with scales for blocks takes beyond one without,
	// in seconds, and Blocks4 the same on devices with units for 4 bits.
	Blocks, Blocks4 float64
	// Spread marks software whose groups give every device whole experts, where
	// others give it a part of each (TensorRT-LLM's recipes: TP4 x EP4).
	Spread bool
	// Fused marks kernels for experts in 4 bits, on devices with such units, that
	// take fusedMoE and not moeFixed.
	Fused bool
	Ring  bool // reduces over a group with NCCL's ring, for want of one-shot kernels
	GGUF  bool // serves GGUF files, whose formats differ from the checkpoints'
}

// Stacks lists every named serving software.
//
// vLLM: a request 15 ms, a step 0.3 ms, a sequence 5 µs, a streamed token 46
// µs (trained by BLIS on 15 runs). 4 ms of the request are serial: 95
// requests/s with a 0.6B model = 10.5 ms = 4 ms + 128·46 µs. NIM: 3 ms, 0.15
// ms, and 75 µs a token (an 8B stays at 13,000 tok/s from 150 users on).
// Draft and Guess of vLLM are derived from two published rows: Llama 3.1 8B with
// EAGLE-3 on an H100 takes 4.09 ms a token with 3 guesses and 4.29 ms with 7
// (vLLM issue 20780, July 2025). TensorRT-LLM's guesses run in the same graph,
// and its published rows show no such time.
// The 75 µs are derived from NIM's published plateau (8B, 250 users).
// Attn and AttnHalf of TensorRT-LLM are the means of its kernels on A100, H100,
// H200, L40S and RTX PRO 6000: 0.11 / 0.20 / 0.30 / 0.39 / 0.46 / 0.47 of the peak
// at 512 to 16,384 tokens. Those of vLLM and SGLang reach 0.10 / 0.25 / 0.39 /
// 0.53 / 0.61 / 0.65 on an H100 (aiconfigurator 095f58a, 32 heads of 128, 8 of
// keys).
//
// TensorRT-LLM divides the memory between one pool for each window, once, before
// it knows any length (features/kvcache, 1.1 to 1.4). What the layers with a window
// do not need is not lent to the others, so they cost as much as these.
//
// Latent and Sparse are modules of DeepSeek V3 with one sequence and one head, less
// the 12 + 4·3.4/2 + 9/2 µs that any attention has here, and 3.4 µs for each product
// in 8 bits. TensorRT-LLM 1.3 takes 27 to 48 µs on H200 and B200, SGLang 0.5.10 36 to
// 45 with 16 heads, vLLM 0.24 66 to 74 on an H200 (30 to 46 on a B200). With an
// indexer TensorRT-LLM 1.3 takes 58 to 87 on a B200, SGLang 60 to 100, vLLM 140 to 240
// (aiconfigurator 095f58a; mla and dsa_generation_module). NIM is that of 2025.
//
// Blocks: with few rows a product in fp8 with scales for blocks takes, beyond its reads, 30
// and 15 µs in vLLM 0.14 and 0.19, 6 to 10 in SGLang, and 6 in TensorRT-LLM on an H200;
// 12, 15 to 23, and 6 to 13 on a B200 (aiconfigurator 095f58a, medians of products from
// 1,000 to 8,000 values wide). 7 µs of these are here for any product in 8 bits.
//
// Fused: an eighth of R1's experts in 4 bits takes 16 to 25 µs for one token on a
// B200 in TensorRT-LLM 1.2 and 1.3, vLLM 0.19 and 0.24 and SGLang 0.5.14, 5 of them for
// its bytes. Routing adds 5, an estimate.
//
// Grouped: on an H100, experts in 16 bits reach 0.45 of TensorRT-LLM's rate in vLLM
// 0.14 and 0.85 in 0.19 and 0.24. The mean is 0.70. SGLang 0.5.14 lies between.
//
// LaunchMoE of vllm: a token of Qwen3 30B-A3B on four L20 takes 34.4 ms where its graph
// is compiled and not replayed, 11.8 ms replayed (vLLM issue 45709, August 2026): 0.7 ms
// for each of 48 layers. It replays up to 512 tokens. SGLang launched DeepSeek V3 in
// 82.6 ms for a prompt of one token (pull request 12160, October 2025); since 2026 it
// replays whole pieces by default. That of trtllm is an estimate: some 30 kernels,
// at about 10 µs each.
//
// TensorRT-LLM and NIM cut no prompt to fill a step, unless chunked prefill is
// switched on (TensorRT-LLM, tuning of max_num_tokens; features/long-sequence).
//
// bench: the batch benchmarks of TensorRT-LLM, which have no front end. The host still
// handles every sequence of a step, in 9.3 µs, which is fitted to published rows of
// gpt-oss with 1,024 tokens in and out (TensorRT-LLM 1.2): 53,491 tok/s of the 20B on a
// B200 ask for 4 µs, 11,403 on an H100 for 28. Groups with data-parallel attention have a
// host process for each device.
//
// eager: engines of 2023 launched every kernel from the host. The 180 µs a layer
// are derived from GPT-J 6B on an H100, a prompt of 128 tokens in 7 ms.
//
// sglang: prompts go before decodes, pieces of 8,192 tokens, a radix cache, room
// for the prompt, and steps that overlap with scheduling: the defaults of its
// server arguments, 2026. trtllm: trtllm-serve with the batch sizes, the
// overlap and GUARANTEED_NO_EVICT of its defaults. The host times of sglang are
// those of vllm, of trtllm those of nim: neither was timed here.
//
// ollama: llama.cpp's kernels, one request at a time and pieces of 512 tokens
// (OLLAMA_NUM_PARALLEL and num_batch by default). mlx: mlx_lm.server decodes 32
// sequences, reads pieces of 2,048 tokens (its defaults of 2026), and macOS lends
// the GPU three quarters of the memory. Its host times are those of llama.cpp.
//
// llama.cpp: Kernel16 is derived from Llama 3 8B in F16 on an RTX 4090 (9,056
// tok/s of prompt, 330 TFLOP/s with sums in 16 bits), KernelQ from Q4_K_M on an
// A100 (5,864 tok/s; both XiongjieDai, May 2024). Quantized weights are
// multiplied in 8-bit integers, never in fp8 or fp4. Since June 2024 its own
// kernels do that on matrix units, which is timed on GeForce cards alone. KernelG
// is derived from Llama 3 8B IQ4_XS on an RTX 3090, 2,048 tokens in pieces of 512:
// 4,314 tok/s (pull request 8416, in no table). Of the 2,048 tokens of a step, 512
// go through the weights at once (n_batch and n_ubatch of its server and of
// llama-bench). Its other values are estimates: no step of it has been timed here.
var Stacks = []Stack{
	{Key: "vllm", Blocks: 8e-6, Blocks4: 5e-6, LaunchMoE: 700e-6, Graphs: 512,
		Grouped: .70, Fused: true, Name: "vLLM", Request: 15e-3, Serial: 4e-3,
		Step: .3e-3, Seq: 5e-6, Token: 46e-6, Draft: 1.9e-3, Guess: .56e-3, Launch: 50e-6, Overhead: 1e9, Share: .90},
	{Key: "nim", Spread: true, Windowless: true, Reserves: true, Whole: true,
		Name: "NIM", Request: 3e-3, Serial: 1e-3, Step: .15e-3, Seq: 5e-6, Token: 75e-6, KV8: true,
		Overhead: 1e9, Share: .90, Budget: 8192, MaxSeqs: 1024, Attn: .55, AttnHalf: 1700},
	{Key: "bench", Spread: true, Fused: true, Latent: 12e-6, Sparse: 45e-6, Windowless: true,
		Reserves: true, Whole: true, Name: "TensorRT-LLM benchmark", Step: .15e-3, Seq: 9.3e-6,
		KV8: true, Overhead: 1e9, Share: .95, Budget: 1 << 30, MaxSeqs: 4096, Attn: .55, AttnHalf: 1700},
	{Key: "eager", Windowless: true, Ring: true, Reserves: true, Whole: true,
		Name: "eager engine of 2023", Step: .15e-3, Launch: 180e-6, KV8: true,
		Overhead: 1e9, Share: .95, Budget: 1 << 30, MaxSeqs: 4096, Attn: .55, AttnHalf: 1700},
	{Key: "llama.cpp", Reserves: true, Name: "llama.cpp", Request: 1e-3,
		Serial: 1e-3, Step: .1e-3, Seq: 5e-6, Token: 10e-6, Overhead: 1e9, Share: .95,
		Budget: 2048, Pass: 512, MaxSeqs: 8, Kernel16: .62, KernelQ: .30, KernelG: .54, GGUF: true},
	{Key: "sglang", Blocks4: 6.5e-6, Grouped: .70, Fused: true, Latent: 12e-6, Sparse: 55e-6,
		Name: "SGLang", Request: 15e-3, Serial: 4e-3, Step: .3e-3, Seq: 5e-6, Token: 46e-6,
		Launch: 50e-6, Overhead: 1e9, Share: .88, Budget: 8192, MaxSeqs: 4096, Async: true},
	{Key: "trtllm", Launch: 50e-6, LaunchMoE: 300e-6, Spread: true, Fused: true, Latent: 12e-6,
		Sparse: 45e-6, Windowless: true, Reserves: true, Whole: true, Name: "TensorRT-LLM server",
		Request: 3e-3, Serial: 1e-3, Step: .15e-3, Seq: 5e-6, Token: 75e-6, KV8: true, Overhead: 1e9,
		Share: .90, Budget: 8192, MaxSeqs: 2048, Async: true, Attn: .55, AttnHalf: 1700},
	{Key: "ollama", Reserves: true, Name: "Ollama", Request: 1e-3,
		Serial: 1e-3, Step: .1e-3, Seq: 5e-6, Token: 10e-6, Overhead: 1e9, Share: .95,
		Budget: 512, MaxSeqs: 1, Kernel16: .62, KernelQ: .30, KernelG: .54, GGUF: true},
	{Key: "mlx", Name: "MLX server", Request: 1e-3, Serial: 1e-3, Step: .1e-3,
		Seq: 5e-6, Token: 10e-6, Overhead: 1e9, Share: .75, Budget: 2048, MaxSeqs: 32},
	{Key: "flow", Reserves: true, Name: "dataflow", Request: 15e-3,
		Serial: 1e-3, Token: 10e-6, Overhead: 0, Share: .95, Budget: 8192, MaxSeqs: 64},
	{Key: "ideal", Name: "ideal", Share: 1, Budget: 1 << 30, MaxSeqs: 4096},
}

// StackOf returns the software with this key. ok is false for an unknown key.
func StackOf(key string) (s Stack, ok bool) {
	return pick.Value(Stacks, func(s *Stack) bool { return s.Key == key })
}

// Limits returns the token budget and the number of sequences of a step on h.
// They are the stack's own, or vLLM's defaults by memory: 8192 and 1024 from
// 70 GB on (but not on A100), else 2048 and 256.
func (s *Stack) Limits(h *Hardware) (budget, seqs int) {
	budget, seqs = 2048, 256
	if h.Mem >= 70 && h.Key != "a100" {
		budget, seqs = 8192, 1024
	}
	return cmp.Or(s.Budget, budget), cmp.Or(s.MaxSeqs, seqs)
}
