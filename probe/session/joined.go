package session

import (
	"math"

	"tokscope/metrics"
	"tokscope/probe/client"
)

// JoinedChunk is a chunk of an event whose text is not what the event alone
// decodes to: the beginning of a key was held back, or a key was removed.
type JoinedChunk struct {
	Kind   string `json:"kind"` // content, reasoning, tool_call, refusal, audio or image
	Choice int    `json:"choice,omitempty"`
	Tokens *int   `json:"tokens"` // that it stands for, where the server said so
	Text   string `json:"text"`
	Name   int    `json:"function_bytes,omitempty"` // length of a called function's name at the beginning of text
	Held   bool   `json:"held,omitempty"`           // all text was held back
}

// kinds are the kinds of chunks.
var kinds = []metrics.Kind{
	metrics.Content, metrics.Reasoning, metrics.ToolCall, metrics.Refusal, metrics.Audio, metrics.Image,
}

// joinedOf returns the chunks of f.
func joinedOf(f *client.Folded) []JoinedChunk {
	out := make([]JoinedChunk, len(f.Chunks))
	for i := range f.Chunks {
		out[i] = joinedChunk(&f.Chunks[i], string(f.Texts[i]))
	}
	return out
}

// joinedChunk returns c with that text.
func joinedChunk(c *metrics.Chunk, text string) JoinedChunk {
	out := JoinedChunk{Kind: c.Kind.String(), Choice: int(c.Choice), Text: text, Name: int(c.Name), Held: c.Held}
	if c.Tokens >= 0 {
		n := int(c.Tokens)
		out.Tokens = &n
	}
	return out
}

// Chunk returns the chunk without its stamps and text. Values out of range are
// clamped.
func (c *JoinedChunk) Chunk() metrics.Chunk {
	out := metrics.Chunk{Tokens: -1, Choice: uint8(min(max(c.Choice, 0), math.MaxUint8)),
		Name: uint16(min(max(c.Name, 0), len(c.Text), math.MaxUint16)), Held: c.Held}
	for _, k := range kinds {
		if k.String() == c.Kind {
			out.Kind = k
		}
	}
	if c.Tokens != nil {
		out.Tokens = int16(min(max(*c.Tokens, -1), math.MaxInt16))
	}
	return out
}

// Values of "texts" in the head of a session file.
const (
	TextsKept   = ""       // as they came
	TextsFixed  = "fixed"  // each text is replaced by one of a fixed width
	TextsWidths = "widths" // each text is replaced by one of its length
)
