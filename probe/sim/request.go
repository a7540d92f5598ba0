package sim

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// Bounds of a request.
const (
	maxBody    = 8 << 20
	maxChoices = 16
	maxStops   = 16
)

// request is what a client may send to both completion routes. Unknown fields
// are ignored, as vLLM does.
type request struct {
	Model               string          `json:"model"`
	Messages            []message       `json:"messages"`
	Prompt              json.RawMessage `json:"prompt"`
	Stream              bool            `json:"stream"`
	StreamOptions       *streamOptions  `json:"stream_options"`
	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	MinTokens           int             `json:"min_tokens"`
	N                   *int            `json:"n"`
	Stop                json.RawMessage `json:"stop"`
	IgnoreEOS           bool            `json:"ignore_eos"`
	Seed                *int64          `json:"seed"`
	Logprobs            json.RawMessage `json:"logprobs"` // bool for chat, count for completions
	ReasoningEffort     string          `json:"reasoning_effort"`
	Tools               []tool          `json:"tools"`
	ToolChoice          json.RawMessage `json:"tool_choice"`
	ReturnTokenIDs      bool            `json:"return_token_ids"`
	Template            struct {
		EnableThinking *bool `json:"enable_thinking"`
	} `json:"chat_template_kwargs"`

	chat  bool
	ids   int // length of a prompt that came as token ids
	stops []string
	logs  bool
}

type streamOptions struct {
	IncludeUsage         bool `json:"include_usage"`
	ContinuousUsageStats bool `json:"continuous_usage_stats"`
}

type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"` // a string, an array of parts, or null
}

type tool struct {
	Type     string `json:"type"`
	Function struct {
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// text is the message's text; parts that are not text count as nothing.
func (f *message) text() (string, error) {
	return textOf(f.Content)
}

func textOf(raw json.RawMessage) (string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s, nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) == nil {
		var b strings.Builder
		for _, p := range parts {
			b.WriteString(p.Text)
		}
		return b.String(), nil
	}
	return "", fmt.Errorf("neither a string nor an array of parts")
}

// parseRequest decodes and checks a body. The error is one of ours, ready to
// be sent.
func parseRequest(body []byte, chat bool) (*request, *apiError) {
	r := &request{chat: chat}
	if apiErr := json.Unmarshal(body, r); apiErr != nil {
		return nil, badRequest("", "the body is not a valid request: %v", apiErr)
	}
	if chat {
		if len(r.Messages) == 0 {
			return nil, badRequest("messages", "messages must hold at least one message")
		}
		for i := range r.Messages {
			if r.Messages[i].Role == "" {
				return nil, badRequest("messages", "messages[%d] has no role", i)
			}
			if _, err := r.Messages[i].text(); err != nil {
				return nil, badRequest("messages", "messages[%d].content: %v", i, err)
			}
		}
	} else if err := r.parsePrompt(); err != nil {
		return nil, err
	}
	if err := limited("max_tokens", r.MaxTokens); err != nil {
		return nil, err
	}
	if err := limited("max_completion_tokens", r.MaxCompletionTokens); err != nil {
		return nil, err
	}
	if r.N != nil && (*r.N < 1 || *r.N > maxChoices) {
		return nil, badRequest("n", "n must be between 1 and %d, got %d", maxChoices, *r.N)
	}
	if o := r.StreamOptions; o != nil && !r.Stream {
		return nil, badRequest("stream_options", "stream_options is only allowed when stream is true")
	}
	if err := r.parseStops(); err != nil {
		return nil, err
	}
	r.logs = r.wantsLogprobs()
	return r, nil
}

// limited checks a bound on the output.
func limited(name string, v *int) *apiError {
	switch {
	case v != nil && *v < 1:
		return badRequest(name, "%s must be at least 1, got %d", name, *v)
	case v != nil && *v > math.MaxInt32:
		return badRequest(name, "%s must be at most %d, got %d", name, math.MaxInt32, *v)
	}
	return nil
}

// parsePrompt checks the prompt of the completions route: a string, token ids,
// or a list that holds one of these.
func (r *request) parsePrompt() *apiError {
	var list []json.RawMessage
	if json.Unmarshal(r.Prompt, &list) == nil && len(list) > 0 && (list[0][0] == '"' || list[0][0] == '[') {
		if len(list) > 1 {
			return badRequest("prompt", "one prompt a request, got %d", len(list))
		}
		r.Prompt = list[0]
	}
	var one string
	var ids []int
	switch {
	case len(r.Prompt) == 0 || string(r.Prompt) == "null":
		return badRequest("prompt", "prompt is missing")
	case json.Unmarshal(r.Prompt, &one) == nil:
		return nil
	case json.Unmarshal(r.Prompt, &ids) == nil && len(ids) > 0:
		r.ids = len(ids)
		return nil
	}
	return badRequest("prompt", "prompt must be a string or token ids")
}

func (r *request) parseStops() *apiError {
	if len(r.Stop) == 0 || string(r.Stop) == "null" {
		return nil
	}
	var one string
	if json.Unmarshal(r.Stop, &one) == nil {
		r.stops = []string{one}
	} else if json.Unmarshal(r.Stop, &r.stops) != nil {
		return badRequest("stop", "stop must be a string or an array of strings")
	}
	if len(r.stops) > maxStops {
		return badRequest("stop", "at most %d stop sequences, got %d", maxStops, len(r.stops))
	}
	for _, s := range r.stops {
		if s == "" {
			return badRequest("stop", "a stop sequence must not be empty")
		}
	}
	return nil
}

func (r *request) wantsLogprobs() bool {
	switch s := string(r.Logprobs); s {
	case "", "null", "false":
		return false
	case "true":
		return r.chat
	default:
		return !r.chat
	}
}

func (f *request) choices() int {
	if f.N == nil {
		return 1
	}
	return *f.N
}

// limit is the number of tokens asked for; 0 when the request leaves it open.
func (r *request) limit() int {
	switch {
	case r.MaxCompletionTokens != nil:
		return *r.MaxCompletionTokens
	case r.MaxTokens != nil:
		return *r.MaxTokens
	case !r.chat:
		return 16 // the completions route's old default
	}
	return 0
}

func (r *request) usage() bool { return r.StreamOptions != nil && r.StreamOptions.IncludeUsage }

func (r *request) continuous() bool { return r.usage() && r.StreamOptions.ContinuousUsageStats }

// promptText is everything the model reads, as a chat template would lay it
// out, and the text of the last message of the person.
func (r *request) promptText() (all, last string) {
	if !r.chat {
		s, _ := textOf(r.Prompt) // token ids have no text: they are counted as they are
		return s, s
	}
	var b strings.Builder
	for i := range r.Messages {
		m, _ := r.Messages[i].text() // checked by parseRequest
		b.WriteString("<|")
		b.WriteString(r.Messages[i].Role)
		b.WriteString("|>\n")
		b.WriteString(m)
		b.WriteString("\n")
		if r.Messages[i].Role == "user" {
			last = m
		}
	}
	for _, t := range r.Tools {
		b.WriteString(t.Function.Name)
		b.Write(t.Function.Parameters)
		b.WriteString("\n")
	}
	b.WriteString("<|assistant|>\n")
	return b.String(), last
}

// thinks reports whether the request leaves a reasoning model its thoughts.
func (r *request) thinks() bool {
	if on := r.Template.EnableThinking; on != nil && !*on {
		return false
	}
	return r.chat && r.ReasoningEffort != "none" && r.ReasoningEffort != "minimal"
}
