package dialect

import (
	openai "github.com/sashabaranov/go-openai"

	"tokscope/metrics"
)

// completions is OpenAI's completions, the API of base models: one text in, its continuation
// out. Its events are chat chunks with the text beside no delta.
var completions = API{
	Name: "completions", Title: "completions", Version: "/v1", Path: "/completions",
	Marker: "[DONE]", Bound: "max_tokens", Body: completionsBody,
	Refuses: func(w *metrics.Workload, extra map[string]any) (what, next string) {
		if extra["echo"] == true {
			return "echo sends the prompt before the answer, which would count as output", "leave extra.echo out"
		}
		return oneText(w, chat.Name)
	},
}

// oneText refuses a conversation and tools, which the API with that name takes.
func oneText(w *metrics.Workload, other string) (what, next string) {
	if w.Messages == "" && w.Tools == "" {
		return "", ""
	}
	return "it takes one text, and neither messages nor tools", "ask with --api " + other
}

func completionsBody(p *Params, model string, w *metrics.Workload) (any, map[string]any) {
	r := &openai.CompletionRequest{Stream: true, Prompt: w.Prompt}
	if w.System != "" {
		r.Prompt = w.System + "\n\n" + w.Prompt
	}
	if !p.NoSeed {
		r.Seed = w.Seed
	}
	lacks := lacking(p, model, w)
	if p.MaxField != "" && w.MaxTokens > 0 {
		lacks[p.MaxField] = w.MaxTokens
	}
	return r, lacks
}
