package dialect

import "tokscope/metrics"

// Params are the dialect's optional request fields. Send each only to servers
// known to accept it: strict servers refuse unknown fields.
type Params struct {
	// IncludeUsage requests the usage chunk (stream_options.include_usage).
	IncludeUsage bool
	// ContinuousUsage requests usage on every chunk (vLLM, SGLang,
	// TensorRT-LLM). It is only sent with IncludeUsage.
	ContinuousUsage bool
	// MaxField is the field that bounds the output: "max_tokens",
	// "max_completion_tokens", or "" for no bound.
	MaxField string
	// NoObfuscation disables OpenAI's random padding of every chunk.
	NoObfuscation bool
	// Timings requests timings on every chunk, Progress prefill progress
	// (llama.cpp).
	Timings, Progress bool
	// Logprobs (OpenAI, vLLM, SGLang, llama.cpp) and TokenIDs (vLLM) request
	// data per token. They allow counting the tokens per chunk.
	Logprobs, TokenIDs bool
	// NoTemperature and NoSeed omit the workload's temperature and seed.
	NoTemperature, NoSeed bool

	swapped bool // MaxField was already switched to the other name
}

// Body returns the fields to merge into the request's JSON. The values of w
// are sent unchanged. The caller has already built the prompt for
// w.InputTokens. A zero temperature is sent as 0. A w.MaxTokens of 0 is
// omitted.
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
	for field, on := range map[string]bool{"timings_per_token": p.Timings,
		"return_progress": p.Progress, "logprobs": p.Logprobs, "return_token_ids": p.TokenIDs} {
		if on {
			b[field] = true
		}
	}
	return b
}
