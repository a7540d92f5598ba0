package dialect

import "tokscope/metrics"

// mendedReasoning is the reason of metrics.Usage.Mended.
const mendedReasoning = "completion_tokens left out the reasoning tokens; added, as total − prompt = completion + reasoning"

// readUsage reads a usage object of any server, and the server times in it
// (those of fields). ok is false when raw is no object, or holds no count at all.
//
//	Prompt      prompt_tokens | input_tokens (+ Anthropic's cache reads and writes)
//	Completion  completion_tokens | output_tokens
//	Reasoning   the larger of reasoning_tokens at the top and in the details
//	Cached      the largest of the four places where servers put it
//
// xAI leaves reasoning out of completion_tokens; when the total proves it
// (total − prompt ≠ completion and = completion + reasoning) it is added and
// Mended says so.
func readUsage(s *scanner, raw []byte, fields []timeField, times []metrics.ServerTime) (u metrics.Usage, all []metrics.ServerTime, ok bool) {
	u = metrics.NoUsage()
	s.sub(raw)
	if len(raw) == 0 || s.peek() != '{' {
		return u, times, false
	}
	input, cacheRead, cacheWrite := -1, -1, -1
	for k, more := s.firstKey(); more; k, more = s.nextKey() {
		switch string(k) {
		case "prompt_tokens":
			u.Prompt = asCount(s.raw())
		case "completion_tokens":
			u.Completion = asCount(s.raw())
		case "total_tokens":
			u.Total = asCount(s.raw())
		case "input_tokens":
			input = asCount(s.raw())
		case "output_tokens":
			if n := asCount(s.raw()); u.Completion < 0 {
				u.Completion = n
			}
		case "reasoning_tokens":
			u.Reasoning = max(u.Reasoning, asCount(s.raw()))
		case "cached_tokens", "prompt_cache_hit_tokens":
			u.Cached = max(u.Cached, asCount(s.raw()))
		case "cache_read_input_tokens":
			cacheRead = asCount(s.raw())
		case "cache_creation_input_tokens":
			cacheWrite = asCount(s.raw())
		case "completion_tokens_details", "output_tokens_details":
			u.Reasoning = max(u.Reasoning, innerCount(s, "reasoning_tokens"))
		case "prompt_tokens_details", "input_tokens_details":
			u.Cached = max(u.Cached, innerCount(s, "cached_tokens"))
		default:
			times = takeTime(s, k, fields, false, times)
		}
	}
	u.Cached = max(u.Cached, cacheRead)
	if u.Prompt < 0 && input >= 0 {
		// Anthropic's input_tokens are those that no cache had to do with.
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

// innerCount reads the next value, an object, and returns one of its counts,
// or -1.
func innerCount(s *scanner, key string) int {
	n := -1
	if s.peek() != '{' {
		s.skip()
		return n
	}
	for k, more := s.firstKey(); more; k, more = s.nextKey() {
		if string(k) == key {
			n = asCount(s.raw())
		} else {
			s.skip()
		}
	}
	return n
}

// takeUsage looks for usage in every place of the chunk and tells it. It
// returns the output count for the tokens of each chunk, -1 when there is none
// or when it leaves a part of the output out (Gemini's thoughts).
//
// The last usage of a stream counts, except that one of nothing but zeros does
// not replace a real one (gateways that end a stream twice).
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
	if !ok {
		return -1
	}
	zero := u.Prompt <= 0 && u.Completion <= 0 && u.Total <= 0
	if zero && d.usageSeen {
		return -1
	}
	d.usageSeen = d.usageSeen || !zero
	// No memory of its own: servers that count on every chunk send it as often.
	d.used = u
	d.used.Raw = raw
	out.Usage = &d.used
	if u.Prompt >= 0 && u.Total >= 0 && u.Total-u.Prompt != u.Completion {
		return -1
	}
	return u.Completion
}
