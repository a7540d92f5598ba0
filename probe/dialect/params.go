package dialect

import "tokscope/metrics"

// Params are the dialect's optional request fields. Each is sent only when the
// server is known to take it, because strict servers refuse unknown fields.
type Params struct {
	// IncludeUsage asks for the usage chunk (stream_options.include_usage).
	IncludeUsage bool
	// ContinuousUsage asks for usage on every chunk (vLLM, SGLang, TensorRT-LLM).
	ContinuousUsage bool
	// MaxField names the field that bounds the output: "max_tokens",
	// "max_completion_tokens", or "" to leave the bound out.
	MaxField string
	// NoObfuscation switches off OpenAI's random padding of every chunk.
	NoObfuscation bool
	// Timings asks llama.cpp for timings on every chunk, Progress for prefill progress.
	Timings, Progress bool
	// Logprobs and TokenIDs ask for per-token data, from which tokens per chunk
	// are counted.
	Logprobs, TokenIDs bool
}

// Body returns the fields to merge into the request's JSON.
func (p Params) Body(model string, w metrics.Workload) map[string]any { return nil }

// Retry says whether a refused request is worth one more try with other parameters.
func Retry(p Params, status int, body []byte) (next Params, note metrics.Note, ok bool) {
	return p, note, false
}
