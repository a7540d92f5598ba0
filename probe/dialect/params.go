package dialect

import "tokscope/metrics"

// Params are the dialect's optional request fields. Each is sent only when the
// server is known to take it, because strict servers refuse unknown fields.
type Params struct {
	// IncludeUsage asks for the usage chunk (stream_options.include_usage).
	IncludeUsage bool
	// ContinuousUsage asks for usage on every chunk (vLLM, SGLang,
	// TensorRT-LLM). It needs IncludeUsage and is not sent without it.
	ContinuousUsage bool
	// MaxField names the field that bounds the output: "max_tokens",
	// "max_completion_tokens", or "" to leave the bound out.
	MaxField string
	// NoObfuscation switches off OpenAI's random padding of every chunk.
	NoObfuscation bool
	// Timings asks llama.cpp for timings on every chunk, Progress for prefill progress.
	Timings, Progress bool
	// Logprobs (OpenAI, vLLM, SGLang, llama.cpp) and TokenIDs (vLLM) ask for
	// per-token data, from which tokens per chunk are counted.
	Logprobs, TokenIDs bool
	// NoTemperature and NoSeed leave the workload's temperature and seed out.
	NoTemperature, NoSeed bool

	swapped bool // MaxField was already the other one
}

// Body returns the fields to merge into the request's JSON. Those of w are
// sent as they stand; the caller has already built the prompt that
// w.InputTokens asks for. A zero temperature is sent as 0, w.MaxTokens of 0
// is left to the server.
func (p Params) Body(model string, w metrics.Workload) map[string]any {
	prompt := w.Prompt
	if w.Nonce != "" {
		prompt = w.Nonce + "\n\n" + prompt
	}
	messages := make([]map[string]string, 0, 2)
	if w.System != "" {
		messages = append(messages, map[string]string{"role": "system", "content": w.System})
	}
	messages = append(messages, map[string]string{"role": "user", "content": prompt})
	b := map[string]any{"model": model, "messages": messages, "stream": true}

	options := map[string]any{}
	if p.IncludeUsage {
		options["include_usage"] = true
		if p.ContinuousUsage {
			options["continuous_usage_stats"] = true
		}
	}
	if p.NoObfuscation {
		options["include_obfuscation"] = false
	}
	if len(options) > 0 {
		b["stream_options"] = options
	}
	if w.MaxTokens > 0 && p.MaxField != "" {
		b[p.MaxField] = w.MaxTokens
	}
	if w.Temperature != nil && !p.NoTemperature {
		b["temperature"] = *w.Temperature
	}
	if w.Seed != nil && !p.NoSeed {
		b["seed"] = *w.Seed
	}
	for field, on := range map[string]bool{"timings_per_token": p.Timings, "return_progress": p.Progress, "logprobs": p.Logprobs, "return_token_ids": p.TokenIDs} {
		if on {
			b[field] = true
		}
	}
	return b
}
