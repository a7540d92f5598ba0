package metrics

// Kind says what a chunk carries.
type Kind uint8

const (
	Content Kind = iota
	Reasoning
	ToolCall
	Refusal
)

// String returns the word used on screen and in JSON.
func (k Kind) String() string {
	switch k {
	case Reasoning:
		return "reasoning"
	case ToolCall:
		return "tool_call"
	case Refusal:
		return "refusal"
	}
	return "content"
}

// Chunk is one decoded delta that carries text, reasoning, a tool call or a
// refusal. A role-only, empty, usage or comment event is no chunk, unless the
// server said that it stands for tokens (Tokens > 0 with no text).
type Chunk struct {
	// At is when the last byte of the chunk's event arrived, by the best
	// source there was (Kernel says which).
	At Stamp
	// User is our own clock at the return of the read that delivered that
	// byte; User - At is how late this program was.
	User Stamp
	// Read numbers the read of the connection (from 0 within the response).
	// Chunks of one read came as a burst: the gaps between them are unknown.
	Read int32
	// Event numbers the server-sent event within the response (from 0).
	Event int32
	// Bytes is the size of the event on the wire, framing of the event included.
	Bytes int32
	// TextEnd is the end of this chunk's text in Stream.Text; it begins where
	// the chunk before it ends (the first at 0).
	TextEnd int32
	// Tokens is how many tokens the server said this chunk stands for; -1 when
	// it did not say.
	Tokens int16
	// Choice is the index of the choice (0 unless n > 1).
	Choice uint8
	Kind   Kind
	// Kernel is true when At is the kernel's stamp.
	Kernel bool
}
