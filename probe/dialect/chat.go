package dialect

import (
	openai "github.com/sashabaranov/go-openai"

	"tokscope/metrics"
)

// chat is OpenAI's chat completions, which most servers speak.
var chat = API{
	Name: "chat", Title: "chat completions", Version: "/v1", Path: "/chat/completions",
	Marker: "[DONE]", Bound: "max_tokens", Body: chatBody,
	Effort: func(level string) map[string]any { return map[string]any{"reasoning_effort": level} },
}

// chatBody returns the request as go-openai builds it, without a model, by whose name
// go-openai would refuse fields that the server accepts, and the fields that its type
// lacks. A zero temperature is sent as 0. A w.MaxTokens of 0 is omitted.
func chatBody(p *Params, model string, w *metrics.Workload) (any, map[string]any) {
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
	lacks := lacking(p, model, w)
	if w.Messages != "" {
		lacks["messages"] = w.Messages // with what the type does not know
	}
	if w.Tools != "" {
		lacks["tools"] = w.Tools
	}
	return r, lacks
}

// lacking returns the fields that go-openai's types of both APIs lack.
func lacking(p *Params, model string, w *metrics.Workload) map[string]any {
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
	sampled(lacks, p, w, "", false) // the type's temperature has 32 bits and omits 0
	for field, on := range map[string]bool{"timings_per_token": p.Timings,
		"return_progress": p.Progress, "return_token_ids": p.TokenIDs} {
		if on {
			lacks[field] = true
		}
	}
	return lacks
}
