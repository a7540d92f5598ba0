package physics

// Stack is the serving software around the kernels: its costs and its default
// limits. Times are in seconds.
type Stack struct {
	Key, Name string
	Request   float64 // latency of every request before its first step: parsing, tokenizing, templates
	Serial    float64 // the single-threaded part of Request; it caps the requests per second
	Step      float64 // per engine step
	Seq       float64 // per running sequence and step
	Token     float64 // front end, per streamed token; a step takes at least tokens·Token
	Launch    float64 // host time per layer in a step with prefill, hidden unless the device is faster
	Budget    int     // tokens per step; 0: by the hardware's memory
	MaxSeqs   int     // sequences per step; 0: by the hardware's memory
	KV8       bool    // keeps the cache in 8 bits if the weights are
	Overhead  float64 // memory for neither weights nor cache, bytes
	Share     float64 // usable share of the device's memory
}

// Stacks lists every named serving software.
//
// vLLM: a request 15 ms, a step 0.3 ms, a sequence 5 µs, a streamed token 46
// µs (trained by BLIS on 15 runs). 4 ms of the request are serial: 95
// requests/s with a 0.6B model = 10.5 ms = 4 ms + 128·46 µs. NIM: 3 ms, 0.15
// ms, and 75 µs a token (an 8B stays at 13,000 tok/s from 150 users on).
// bench: the batch benchmarks of TensorRT-LLM, which have no front end.
var Stacks = []Stack{
	{Key: "vllm", Name: "vLLM", Request: 15e-3, Serial: 4e-3, Step: .3e-3, Seq: 5e-6, Token: 46e-6, Launch: 50e-6, Overhead: 2e9, Share: .90},
	{Key: "nim", Name: "NIM", Request: 3e-3, Serial: 1e-3, Step: .15e-3, Seq: 5e-6, Token: 75e-6, KV8: true, Overhead: 2e9, Share: .90, Budget: 8192, MaxSeqs: 1024},
	{Key: "bench", Name: "TensorRT-LLM benchmark", Step: .15e-3, KV8: true, Overhead: 2e9, Share: .95, Budget: 1 << 30, MaxSeqs: 4096},
	{Key: "eager", Name: "eager engine of 2023", Step: .15e-3, Launch: 180e-6, KV8: true, Overhead: 2e9, Share: .95, Budget: 1 << 30, MaxSeqs: 4096},
	{Key: "llama.cpp", Name: "llama.cpp", Request: 1e-3, Serial: 1e-3, Step: .1e-3, Seq: 5e-6, Token: 10e-6, Overhead: 1e9, Share: .95, Budget: 2048, MaxSeqs: 8},
	{Key: "flow", Name: "dataflow", Request: 15e-3, Serial: 1e-3, Token: 10e-6, Overhead: 0, Share: .95, Budget: 8192, MaxSeqs: 64},
	{Key: "ideal", Name: "ideal", Share: 1, Budget: 1 << 30, MaxSeqs: 4096},
}

// StackOf returns the software with this key. ok is false for an unknown key.
func StackOf(key string) (s Stack, ok bool) {
	for _, s := range Stacks {
		if s.Key == key {
			return s, true
		}
	}
	return Stack{}, false
}

// Limits returns the token budget and the number of sequences of a step on h.
// They are the stack's own, or vLLM's defaults by memory: 8192 and 1024 from
// 70 GB on (but not on A100), else 2048 and 256.
func (s *Stack) Limits(h *Hardware) (budget, seqs int) {
	budget, seqs = 2048, 256
	if h.Mem >= 70 && h.Key != "a100" {
		budget, seqs = 8192, 1024
	}
	if s.Budget > 0 {
		budget = s.Budget
	}
	if s.MaxSeqs > 0 {
		seqs = s.MaxSeqs
	}
	return budget, seqs
}
