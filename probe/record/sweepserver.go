package record

import "tokscope/metrics/loadstat"

// ServerCounts is the JSON form of loadstat.ServerCounts. A figure that the
// server's page does not have is null.
type ServerCounts struct {
	Running      *float64 `json:"running"`       // requests in the batch, at that moment
	Waiting      *float64 `json:"waiting"`       // requests in the queue, at that moment
	KV           *float64 `json:"kv_cache_used"` // share, 0 to 1, at that moment
	Requests     *float64 `json:"requests"`      // ended since the server's start
	Preemptions  *float64 `json:"preemptions"`   // since the server's start
	Prompt       *float64 `json:"prompt_tokens"` // since the server's start
	Output       *float64 `json:"output_tokens"` // since the server's start
	CacheQueries *float64 `json:"prefix_cache_queries"`
	CacheHits    *float64 `json:"prefix_cache_hits"` // of these, found
}

// ServerStep is the JSON form of loadstat.ServerStep: the server's own counts
// before and after a step. They include the time in which users join, and the
// requests of the server's other clients.
type ServerStep struct {
	// whose names the page uses: "vllm", "sglang", "llamacpp" or "tgi"; "" when nothing was read
	Names    string        `json:"names"`
	Before   *ServerCounts `json:"before,omitempty"` // absent when it was not read
	After    *ServerCounts `json:"after,omitempty"`
	Unread   string        `json:"unread,omitempty"`       // why one of them was not read
	Requests int           `json:"requests_by_tokscope"`   // that ended in the same time
	Output   *float64      `json:"output_tokens_received"` // by tokscope in the same time
}

// Lengths is the JSON form of loadstat.Lengths: mean lengths of the requests
// of a step that ended well. A mean without a request is null.
type Lengths struct {
	Prompts       int      `json:"prompts"` // with an asked length and a count by the server
	PromptAsked   *float64 `json:"prompt_tokens_asked"`
	PromptCounted *float64 `json:"prompt_tokens_by_server"`
	Answers       int      `json:"answers"` // with a limit and a count by the server
	AnswerAsked   *float64 `json:"output_limit"`
	AnswerCounted *float64 `json:"output_tokens_by_server"`
}

func serverCountsOf(c *loadstat.ServerCounts) *ServerCounts {
	if c.From == "" {
		return nil
	}
	return &ServerCounts{
		value(c.Running), value(c.Waiting), value(c.KV), value(c.Requests), value(c.Preemptions),
		value(c.Prompt), value(c.Output), value(c.CacheQueries), value(c.CacheHits),
	}
}

// serverStepOf returns the JSON form of s; nil where nothing was to be read.
func serverStepOf(s *loadstat.ServerStep) *ServerStep {
	if s.Before.From == "" && s.After.From == "" && s.Why == "" {
		return nil
	}
	names := s.Before.From
	if names == "" {
		names = s.After.From
	}
	return &ServerStep{names, serverCountsOf(&s.Before), serverCountsOf(&s.After), s.Why, s.Requests, finite(s.Output)}
}

// lengthsOf returns the JSON form of l; nil without a request.
func lengthsOf(l *loadstat.Lengths) *Lengths {
	if l.Prompts+l.Answers == 0 {
		return nil
	}
	promptAsked, promptCounted := l.Prompt()
	answerAsked, answerCounted := l.Answer()
	return &Lengths{l.Prompts, value(promptAsked), value(promptCounted),
		l.Answers, value(answerAsked), value(answerCounted)}
}
