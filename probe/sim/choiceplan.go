package sim

import (
	"cmp"
	"hash/fnv"
	"strings"

	"tokscope/metrics"
	"tokscope/probe/sim/physics"
	"tokscope/probe/sim/text"
)

// kind is the field of a delta that a token belongs to.
type kind = metrics.Kind

const (
	content   = metrics.Content
	reasoning = metrics.Reasoning
	toolArgs  = metrics.ToolCall
	refusal   = metrics.Refusal // of recorded answers alone, as is the transcript of speech
	speech    = metrics.Audio
)

// choicePlan is the planned output of one choice. It is fixed before the
// first token: lengths are known, and the same request produces the same
// text.
type choicePlan struct {
	think   *text.Writer
	body    *text.Writer
	call    *call
	thought int // reasoning tokens
	total   int // all tokens, reasoning included
	finish  string
	at      int
	stopAt  int    // byte length at which the content is cut, -1 for none
	stop    string // the sequence there
	bytes   int
	log     tokenLog
}

// naturalLength is the approximate number of tokens of an answer without a
// length limit. The answer ends with the first passage that reaches it.
const naturalLength = 180

// newChoicePlan plans a choice. room is the number of tokens left in the
// context. It fails if no document fits the response format.
func newChoicePlan(r *request, m *physics.Model, last string,
	seed uint64, choice, room int, sc *Scenario) (*choicePlan, *apiError) {
	s := &choicePlan{stopAt: -1, finish: "stop"}
	h := fnv.New64a()
	_, _ = h.Write([]byte(last))
	sum := h.Sum64()
	draw := sum % 997
	// The first choice answers the question. A seed and further choices start
	// further on in the passages.
	lang := text.Guess(last)
	start := text.Pick(lang, last, draw) + int(seed%97) + choice
	write := func() *text.Writer { return text.NewWriter(lang, start) }
	fixed := 0 // tokens of an answer whose text is fixed
	switch {
	case sc.hostile:
		write = func() *text.Writer { return text.NewWriterOf(hostileText) }
	case r.format != nil:
		doc, err := r.format.Generate(sum + seed*31 + uint64(choice))
		if err != nil {
			return nil, badRequest("response_format", "response_format: %v", err)
		}
		write = func() *text.Writer { return text.NewWriterOf(doc) }
		fixed = text.Count(doc)
	}
	s.body = write()
	limit := r.maxTokens
	if m.Reasoning && r.thinks() {
		s.think = text.NewWriter("think", int(draw)+choice)
		s.thought = map[string]int{"low": 60, "high": 600}[r.effort]
		s.thought = cmp.Or(s.thought, 160)
		if limit > 0 {
			s.thought = min(s.thought, limit/3)
		}
	}
	if c := chooseTool(r, sc); c != nil {
		s.call = c
		s.total = s.thought + c.tokens
		s.finish = "tool_calls"
	} else if fixed > 0 {
		s.total = s.thought + fixed
	} else if limit > 0 && !r.capped || r.ignoreEOS {
		s.total, s.finish = limit, "length"
		if limit == 0 {
			s.total = room
		}
	} else {
		ahead := write()
		n := 0
		for n < naturalLength || !ahead.AtEnd() {
			ahead.Token()
			n++
		}
		s.total = s.thought + max(n, r.minTokens)
	}
	if limit > 0 && s.total > limit {
		s.total, s.finish = limit, "length"
	}
	if s.total > room {
		s.total, s.finish = room, "length"
	}
	if s.call == nil {
		s.applyStops(r.stops, write())
	}
	return s, nil
}

// applyStops finds the first stop sequence in the text ahead. It shortens the
// plan to end with the token that completes that sequence.
func (s *choicePlan) applyStops(stops []string, ahead *text.Writer) {
	if len(stops) == 0 {
		return
	}
	var b strings.Builder
	longest := 0
	for _, x := range stops {
		longest = max(longest, len(x))
	}
	for n := s.thought + 1; n <= s.total; n++ {
		from := max(0, b.Len()-longest)
		b.WriteString(ahead.Token())
		best := -1
		for _, x := range stops {
			if i := strings.Index(b.String()[from:], x); i >= 0 && (best < 0 || from+i < best) {
				best, s.stop = from+i, x
			}
		}
		if best >= 0 {
			s.total, s.stopAt, s.finish = n, best, "stop"
			return
		}
	}
}

// next returns the next token and its kind. ok is false after the last token.
// The text is empty for a token that only completes a stop sequence.
func (s *choicePlan) next() (k kind, tok string, ok bool) {
	if s.at >= s.total {
		return content, "", false
	}
	s.at++
	if s.at <= s.thought {
		return reasoning, s.think.Token(), true
	}
	if s.call != nil {
		return toolArgs, s.call.Token(), true
	}
	tok = s.body.Token()
	if s.stopAt >= 0 && s.bytes+len(tok) > s.stopAt {
		tok = tok[:max(0, s.stopAt-s.bytes)]
	}
	s.bytes += len(tok)
	return content, tok, true
}
