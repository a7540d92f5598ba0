package result

import (
	"tokscope/metrics"
	"tokscope/probe/secret"
)

// ToolCall is one call of a function, as the model wrote it.
type ToolCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // raw: usually JSON, possibly cut
}

// addTexts adds the texts of v by their kinds. Parts of one kind that others
// interrupt are joined.
func (r *Request) addTexts(v *metrics.Stream, scrub *secret.Scrubber) {
	clean := func(text []byte) string {
		if scrub.Hit(text) { // patterns alone may be part of an ordinary answer
			text = scrub.Bytes(text)
		}
		return string(text)
	}
	texts, calls := TextsOf(v)
	answer := clean(texts[metrics.Content])
	r.Text, r.Reasoning, r.Refusal = &answer, clean(texts[metrics.Reasoning]), clean(texts[metrics.Refusal])
	r.Transcript = clean(texts[metrics.Audio])
	for i := range calls {
		r.Calls = append(r.Calls, ToolCall{clean(calls[i].Name), clean(calls[i].Arguments)})
	}
}

// CalledTool is a ToolCall in the bytes that came.
type CalledTool struct{ Name, Arguments []byte }

// TextsOf returns the texts of v by their kinds, without tool calls, and these in their
// order.
func TextsOf(v *metrics.Stream) (texts map[metrics.Kind][]byte, calls []CalledTool) {
	texts = map[metrics.Kind][]byte{}
	for i := range v.Chunks {
		c, text := &v.Chunks[i], v.ChunkText(i)
		if c.Kind != metrics.ToolCall {
			texts[c.Kind] = append(texts[c.Kind], text...)
			continue
		}
		n := min(int(c.Name), len(text))
		if n > 0 || len(calls) == 0 {
			calls = append(calls, CalledTool{})
		}
		last := &calls[len(calls)-1]
		last.Name, last.Arguments = append(last.Name, text[:n]...), append(last.Arguments, text[n:]...)
	}
	return texts, calls
}
