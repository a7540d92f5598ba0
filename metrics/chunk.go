package metrics

// Kind says what a chunk carries.
type Kind uint8

const (
	Content Kind = iota
	Reasoning
	ToolCall
	Refusal
	Audio // sound, its transcript, or both: the transcript is its text
	Image // pictures, without a text
)

// ReasoningFields is a set of the fields in which a server sends reasoning. It
// is empty for reasoning between tags inside the content.
type ReasoningFields uint8

// The fields, by their names in the delta.
const (
	InReasoning        ReasoningFields = 1 << iota // reasoning
	InReasoningContent                             // reasoning_content
	InReasoningDetails                             // reasoning_details
)

// String returns the word used on screen and in JSON.
func (k Kind) String() string {
	return [...]string{"content", "reasoning", "tool_call", "refusal", "audio", "image"}[k]
}

// Visible reports whether the text of a chunk of that kind is the answer to a person:
// content, a refusal, or the transcript of what is spoken.
func (k Kind) Visible() bool { return k == Content || k == Refusal || k == Audio }

// countsBare reports whether a chunk of that kind counts without a text. What it has
// may then be more tokens than its text can carry.
func (k Kind) countsBare() bool { return k == ToolCall || k == Audio || k == Image }

// Chunk is one decoded delta that carries text, reasoning, a tool call, a
// refusal, audio or images. A role-only, empty, usage or comment event is no chunk. The
// exception is an event that the server counts as tokens (Tokens > 0 with no
// text).
type Chunk struct {
	// At is when the last byte of the chunk's event arrived, by the best source
	// available. Kernel says which source.
	At Stamp
	// User is the program's own clock at the return of the read that delivered
	// that byte. User - At is how late the program was.
	User Stamp
	// Read numbers the read of the connection (from 0 within the response).
	// Chunks of one read came as a burst: the gaps between them are unknown.
	Read int32
	// Event numbers the server-sent event within the response (from 0).
	Event int32
	// Bytes is the size of the event on the wire, framing of the event included.
	Bytes int32
	// TextEnd is the end of this chunk's text in Stream.Text. The text begins
	// at the previous chunk's TextEnd (at 0 for the first chunk).
	TextEnd int32
	// Tokens is the number of tokens in this chunk by the server's count; -1
	// when the server gave none.
	Tokens int16
	// Choice is the index of the choice (0 unless n > 1).
	Choice uint8
	Kind   Kind
	// Kernel is true when At is the kernel's stamp.
	Kernel bool
	// Held is true when the chunk's text may be the beginning of a key and all of
	// it comes with a later chunk. The chunk counts, and its stamp is its own.
	Held bool
	// Name is the length in bytes of a called function's name, with which the
	// chunk's text begins; 0 without one. The call's arguments follow.
	Name uint16
}
