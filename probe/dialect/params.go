package dialect

import (
	"bytes"
	"encoding/json"
	"maps"

	openai "github.com/sashabaranov/go-openai"

	"tokscope/metrics"
)

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

// Chat returns the chat request for w as go-openai builds it, without a model,
// by whose name go-openai would refuse fields that the server accepts, and the
// fields that its type lacks. Merge puts them in. The values of w are sent
// unchanged: the caller has built the prompt for w.InputTokens and w.Nonce. A zero
// temperature is sent as 0. A w.MaxTokens of 0 is omitted.
func (p Params) Chat(model string, w metrics.Workload) (*openai.ChatCompletionRequest, map[string]any) {
	r := &openai.ChatCompletionRequest{Stream: true, LogProbs: p.Logprobs}
	if w.System != "" {
		r.Messages = append(r.Messages, openai.ChatCompletionMessage{Role: "system", Content: w.System})
	}
	r.Messages = append(r.Messages, openai.ChatCompletionMessage{Role: "user", Content: w.Prompt})
	switch p.MaxField {
	case "max_tokens":
		//lint:ignore SA1019 most servers have this field alone
		r.MaxTokens = w.MaxTokens
	case "max_completion_tokens":
		r.MaxCompletionTokens = w.MaxTokens
	}
	if !p.NoSeed {
		r.Seed = w.Seed
	}
	lacks, options := map[string]any{"model": model}, map[string]any{}
	if p.IncludeUsage {
		options["include_usage"] = true
	}
	if p.IncludeUsage && p.ContinuousUsage {
		options["continuous_usage_stats"] = true
	}
	if p.NoObfuscation {
		options["include_obfuscation"] = false
	}
	if len(options) > 0 {
		lacks["stream_options"] = options // the type has include_usage alone
	}
	if w.Temperature != nil && !p.NoTemperature {
		lacks["temperature"] = *w.Temperature // the type has 32 bits and omits 0
	}
	if w.Messages != "" {
		lacks["messages"] = w.Messages // with what the type does not know
	}
	if w.Tools != "" {
		lacks["tools"] = w.Tools
	}
	for field, on := range map[string]bool{"timings_per_token": p.Timings,
		"return_progress": p.Progress, "return_token_ids": p.TokenIDs} {
		if on {
			lacks[field] = true
		}
	}
	return r, lacks
}

// Merge returns body, a JSON object, with fields in it; the last value of a name
// counts. It fails when a value cannot be written as JSON.
func Merge(body []byte, fields ...map[string]any) ([]byte, error) {
	var all map[string]any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&all); err != nil {
		return nil, err
	}
	for _, m := range fields {
		maps.Copy(all, m)
	}
	return json.Marshal(all)
}
