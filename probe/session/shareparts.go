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

// keptParts returns the parts of the events of a stream, by their index. v is its
// final record, and f its figures.
func keptParts(stream *Stream, v *metrics.Stream, f *metrics.Figures) func(i int) sharedParts {
	blanks := map[int]bool{}
	for _, b := range v.Blanks {
		blanks[int(b.Event)] = true
	}
	return func(i int) (p sharedParts) {
		m := &stream.moments[i]
		before, finish := metrics.NoUsage(), ""
		events := 0
		if i > 0 {
			last := &stream.moments[i-1]
			before, finish, events = last.usage, last.slow.Finish, last.events
		}
		p.blank = blanks[events]
		if finish == "" && m.slow.Finish != "" {
			p.finish = cmp.Or(word("finish_reason", m.slow.Finish), blank)
		}
		if counted(f) && v.Usage.Mended == "" && countsOf(&m.usage) != countsOf(&before) {
			u := judged(m.usage, f)
			p.usage = usageOf(&u, f.PromptTokens.OK)
		}
		return p
	}
}

// judged returns u with what f makes of it by the texts: with reasoning that it left
// out, and without that of many tokens a chunk, which would be taken for a summary where
// it is none and was not hidden.
func judged(u metrics.Usage, f *metrics.Figures) metrics.Usage {
	switch sent := float64(f.Reasoning.Chunks); {
	case f.Suspects(metrics.SuspectExcluded):
		u.Completion += u.Reasoning
	case metrics.IsSummary(u.Reasoning, sent) && !f.Suspects(metrics.SuspectSummarized) &&
		!f.Suspects(metrics.SuspectHidden):
		u.Reasoning = -1
	}
	return u
}

// countsOf are the counts of a usage.
func countsOf(u *metrics.Usage) [5]int {
	return [5]int{u.Prompt, u.Completion, u.Total, u.Cached, u.Reasoning}
}

// usageOf returns the counts of u as a server sends them; prompt tells that those of
// the prompt are sound.
func usageOf(u *metrics.Usage, prompt bool) map[string]any {
	out := map[string]any{}
	count := func(to map[string]any, key string, n int) {
		if n >= 0 {
			to[key] = n
		}
	}
	count(out, "completion_tokens", u.Completion)
	count(out, "total_tokens", u.Total)
	if prompt {
		count(out, "prompt_tokens", u.Prompt)
		if u.Cached >= 0 {
			out["prompt_tokens_details"] = map[string]any{"cached_tokens": u.Cached}
		}
	}
	if u.Reasoning >= 0 {
		out["completion_tokens_details"] = map[string]any{"reasoning_tokens": u.Reasoning}
	}
	return out
}
