package turn

import (
	"crypto/sha256"
	"encoding/binary"

	"tokscope/metrics"
)

// Digest stands for bytes that are not kept: the first 64 bits of their SHA-256. Zero
// stands for nothing.
type Digest uint64

// DigestOf returns the digest of b, zero if it is empty.
func DigestOf(b []byte) Digest {
	if len(b) == 0 {
		return 0
	}
	sum := sha256.Sum256(b)
	return Digest(binary.BigEndian.Uint64(sum[:]))
}

// Kind says what a request of a client is.
type Kind uint8

// The kinds. Only a Turn is in a conversation; the others are counted.
const (
	Other       Kind = iota // anything else, and what was not understood
	Asks                    // a turn: it asks the model for a streamed answer
	CountTokens             // it asks how many tokens a request has
	Models                  // a list of models, or one of them
	Hello                   // HEAD: is somebody there
	WarmUp                  // it fills the cache, or tries a key: no output, or one token of it
	Whole                   // an answer that is not streamed
	Resume                  // the answer of an earlier request, once more
	Kinds                   // how many there are
)

// String returns the word used in JSON.
func (k Kind) String() string {
	return [...]string{"other", "turn", "count_tokens", "models", "hello", "warm_up", "whole", "resume"}[k]
}

// Part is a part of a prompt, in the order in which a prompt cache compares.
type Part uint8

// The parts.
const (
	Tools Part = iota
	System
	Messages
)

// String returns the word used on screen and in JSON.
func (p Part) String() string { return [...]string{"tools", "system", "messages"}[p] }

// Block is a piece of a prompt that a prompt cache compares as a whole: a tool, a block of
// the system prompt or of a message.
type Block struct {
	Part Part
	// Role is that of its message as the client sent it, "" for none: unsanitized.
	Role string
	// Digest is that of its JSON without cache_control. A text is the same as a block that
	// holds nothing but that text.
	Digest Digest
	Bytes  int // of that JSON
}

// Answers says what the last message of a request is.
type Answers uint8

// The values of Answers.
const (
	Unknown Answers = iota
	Person          // a text, of a person or of the client
	Tool            // the result of a tool, perhaps with a text beside it
)

// Request is what one request of a client says. It has no text of a prompt, no key and no
// address, but for the path. Its strings are the client's: unsanitized.
type Request struct {
	API    string // name in dialect's table, "" for none: "messages"
	Kind   Kind
	Method string
	Path   string // with the names of the query's fields, without their values: "/v1/messages?beta"
	// Model and Service are what is asked for, "" where it names none.
	Model    string
	Service  metrics.Service
	Bytes    int     // of the body, or of the frame
	Tools    int     // that it offers
	Messages int     // or items of input; over a WebSocket the new ones alone
	Session  Digest  // of the client's id of the session; zero: it sent none
	Previous Digest  // of the response that it goes on from (previous_response_id); zero: it has all itself
	Blocks   []Block // what a prompt cache compares, in its order. Read only
	Answers  Answers
}
