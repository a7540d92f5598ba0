package session

import (
	"cmp"

	"tokscope/metrics"
)

// parts are what an event holds beside chunks and a shared file keeps: whether its
// content was empty, the finish reason, and the counts of its usage.
type sharedParts struct {
	blank  bool
	finish string
	usage  map[string]any // nil without one
}

// counted reports whether the server's counts of output tokens are sound.
func counted(f *metrics.Figures) bool {
	return f.TokenSource == metrics.TokensUsage || f.TokenSource == metrics.TokensContinuous
}

// judged returns u with what f makes of it by the texts: with reasoning that it left
// out, and without that of many tokens a chunk, which would be taken for a summary where
// it is none and was not hidden. Counts that are not sound are left out.
func judged(u metrics.Usage, f *metrics.Figures) metrics.Usage {
	switch sent := float64(f.Reasoning.Chunks); {
	case f.Suspects(metrics.SuspectExcluded):
		if u.Completion >= 0 && u.Reasoning > 0 {
			u.Completion += u.Reasoning
		}
	case metrics.IsSummary(u.Reasoning, sent) && !f.Suspects(metrics.SuspectSummarized) &&
		!f.Suspects(metrics.SuspectHidden):
		u.Reasoning = -1
	}
	if !counted(f) {
		u.Completion, u.Reasoning, u.Total = -1, -1, -1
	}
	if !f.PromptTokens.OK {
		u.Prompt, u.Cached = -1, -1
	}
	return u
}

// parts returns what a stream has that t has not.
func (t *told) parts(finish string, u metrics.Usage) (also sharedParts) {
	if finish != t.finish {
		also.finish, t.finish = cmp.Or(word("finish_reason", finish), blank), finish
	}
	if countsOf(&u) != countsOf(&t.usage) {
		also.usage, t.usage = usageOf(&u), u
	}
	return also
}

// countsOf are the counts of a usage.
func countsOf(u *metrics.Usage) [5]int {
	return [5]int{u.Prompt, u.Completion, u.Total, u.Cached, u.Reasoning}
}

// usageOf returns the counts of u as a server sends them.
func usageOf(u *metrics.Usage) map[string]any {
	out := map[string]any{}
	count := func(to map[string]any, key string, n int) {
		if n >= 0 {
			to[key] = n
		}
	}
	count(out, "completion_tokens", u.Completion)
	count(out, "total_tokens", u.Total)
	count(out, "prompt_tokens", u.Prompt)
	if u.Cached >= 0 {
		out["prompt_tokens_details"] = map[string]any{"cached_tokens": u.Cached}
	}
	if u.Reasoning >= 0 {
		out["completion_tokens_details"] = map[string]any{"reasoning_tokens": u.Reasoning}
	}
	return out
}
