package dialect

import "tokscope/metrics"

// mendedReasoning is the reason of metrics.Usage.Mended.
const mendedReasoning = "completion_tokens left out the " +
	"reasoning tokens; added, as total − prompt = completion + reasoning"

// readUsage decodes a usage object of any server, and the server times in
// fields. ok is false if raw is not an object or has no count.
//
//	Prompt      prompt_tokens | input_tokens (+ Anthropic's cache reads and writes) | prompt_eval_count
//	Completion  completion_tokens | output_tokens | eval_count
//	Reasoning   the larger of reasoning_tokens at the top and in the details (Anthropic: thinking_tokens)
//	Cached      the largest of the four places where servers put it
//
// xAI omits reasoning from completion_tokens. If the total proves it (total −
// prompt ≠ completion and = completion + reasoning), the reasoning is added
// and Mended says so.
func readUsage(s *scanner, raw []byte, fields []timeField,
	times []metrics.ServerTime) (u metrics.Usage, all []metrics.ServerTime, ok bool) {
	u = metrics.NoUsage()
	input, cacheRead, cacheWrite := -1, -1, -1
	for k, more := s.keysOf(raw); more; k, more = s.nextKey() {
		switch string(k) {
		case "prompt_tokens", "prompt_eval_count":
			u.Prompt = s.tokens()
		case "completion_tokens", "eval_count":
			u.Completion = s.tokens()
		case "total_tokens":
			u.Total = s.tokens()
		case "input_tokens":
			input = s.tokens()
		case "output_tokens":
			if n := s.tokens(); u.Completion < 0 {
				u.Completion = n
			}
		case "reasoning_tokens":
			u.Reasoning = max(u.Reasoning, asCount(s.raw()))
		case "cached_tokens", "prompt_cache_hit_tokens":
			u.Cached = max(u.Cached, asCount(s.raw()))
		case "cache_read_input_tokens":
			cacheRead = asCount(s.raw())
		case "cache_creation_input_tokens", "cache_write_tokens":
			cacheWrite = asCount(s.raw())
		case "completion_tokens_details", "output_tokens_details":
			u.Reasoning = max(u.Reasoning, asCount(s.field("reasoning_tokens", "thinking_tokens")))
		case "prompt_tokens_details", "input_tokens_details":
			again := *s
			u.Cached = max(u.Cached, asCount(again.field("cached_tokens")))
			u.CacheWritten = max(u.CacheWritten, asCount(s.field("cache_write_tokens")))
		default:
			times = takeTime(s, k, fields, false, times)
		}
	}
	u.Cached, u.CacheWritten = max(u.Cached, cacheRead), max(u.CacheWritten, cacheWrite)
	if u.Prompt < 0 && input >= 0 {
		// Anthropic's input_tokens exclude tokens read from or written to a
		// cache.
		u.Prompt = input + max(cacheRead, 0) + max(cacheWrite, 0)
	}
	mend(&u)
	return u, times, u.Prompt >= 0 || u.Completion >= 0 || u.Total >= 0
}

// mend adds reasoning tokens that the server omitted from the completion.
func mend(u *metrics.Usage) {
	if u.Prompt < 0 || u.Completion < 0 || u.Reasoning <= 0 || u.Total < 0 {
		return
	}
	if out := u.Total - u.Prompt; out != u.Completion && out == u.Completion+u.Reasoning {
		u.Completion, u.Mended = out, mendedReasoning
	}
}

// takeUsage decodes usage from any place of the chunk. It returns the output
// count for the tokens per chunk. It returns -1 without one, or if the count
// omits a part of the output (Gemini's thoughts).
//
// The last usage of a stream counts. One with only zeros does not replace a
// real one: some gateways end a stream twice.
func (d *Decoder) takeUsage(m *message, groqUsage []byte, out *Out) int {
	raw, fields := m.usage, usageTimes
	if raw == nil && groqUsage != nil {
		raw, fields = groqUsage, groqTimes
	}
	for i := 0; raw == nil && i < len(m.choices); i++ {
		raw = m.choices[i].usage
	}
	if raw == nil {
		return -1
	}
	u, times, ok := readUsage(&d.scan, raw, fields, out.Server)
	out.Server = times
	if d.scan.below0 {
		d.scan.below0 = false
		out.note("usage_negative", "the server's usage has a negative count: not used")
	}
	if !ok {
		return -1
	}
	return d.takes(u, raw, len(m.choices) == 0, out)
}

// takes is takeUsage for a usage that is read; alone says that its event had no choice.
func (d *Decoder) takes(u metrics.Usage, raw []byte, alone bool, out *Out) int {
	zero := u.Prompt <= 0 && u.Completion <= 0 && u.Total <= 0
	if zero && d.usageSeen {
		return -1
	}
	if alone {
		d.addChoices(&u)
	}
	d.usageSeen = d.usageSeen || !zero
	if !d.manyChoices { // with several, running counts may be of one choice each
		d.peak = max(d.peak, u.Completion)
		u.Peak = d.peak
	}
	// Reuse the memory: some servers send usage on every chunk.
	d.used = u
	d.used.Raw = raw
	out.Usage = &d.used
	if u.Prompt >= 0 && u.Total >= 0 && u.Total-u.Prompt != u.Completion {
		return -1
	}
	return u.Completion
}
