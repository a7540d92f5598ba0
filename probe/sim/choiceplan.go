package sim

import (
	"hash/fnv"
	"strings"

	"tokscope/probe/sim/physics"
	"tokscope/probe/sim/text"
)

// kind is the field of a delta that a token belongs to.
type kind uint8

const (
	content kind = iota
	reasoning
	toolArgs
)

// script is what one choice will say: it is fixed before the first token, so
// that lengths are known and the same request gives the same text.
type choicePlan struct {
	think   *text.Writer
	body    *text.Writer
	call    *call
	thought int // tokens of reasoning
	total   int // tokens in all
	finish  string
	at      int
	stopAt  int // of the content: bytes after which it is cut, -1 for none
	bytes   int
}

// naturalLength is the approximate number of tokens of an answer without a
// length limit. The answer ends with the first passage that reaches it.
const naturalLength = 180

// newScript plans a choice. room is how many tokens the context leaves.
func newChoicePlan(r *request, m *physics.Model, last string, seed uint64, choice, room int, sc *Scenario) *choicePlan {
	s := &choicePlan{stopAt: -1, finish: "stop"}
	h := fnv.New64a()
	_, _ = h.Write([]byte(last))
	draw := h.Sum64() % 997
	// The first choice answers what was asked; a seed and further choices move on
	// from there.
	lang := text.Guess(last)
	start := text.Pick(lang, last, draw) + int(seed%97) + choice
	write := func() *text.Writer { return text.NewWriter(lang, start) }
	if sc.hostile {
		write = func() *text.Writer { return text.NewWriterOf([]text.Passage{{Body: hostileText}}, 0) }
	}
	s.body = write()
	limit := r.limit()
	if m.Reasoning && r.thinks() {
		s.think = text.NewWriter("think", int(draw)+choice)
		s.thought = map[string]int{"low": 60, "high": 600}[r.ReasoningEffort]
		if s.thought == 0 {
			s.thought = 160
		}
		if limit > 0 {
			s.thought = min(s.thought, limit/3)
		}
	}
	if c := chooseTool(r, last); c != nil {
		s.call = c
		s.total = s.thought + c.tokens
		s.finish = "tool_calls"
	} else if limit > 0 || r.IgnoreEOS {
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
		s.total = s.thought + max(n, r.MinTokens)
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
	return s
}

// applyStops looks ahead for the first stop sequence, and shortens the script
// to end with the token that completes it.
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
				best = from + i
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
		return toolArgs, s.call.next(), true
	}
	tok = s.body.Token()
	if s.stopAt >= 0 && s.bytes+len(tok) > s.stopAt {
		tok = tok[:max(0, s.stopAt-s.bytes)]
	}
	s.bytes += len(tok)
	return content, tok, true
}
