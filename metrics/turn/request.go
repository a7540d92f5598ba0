package turn

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"

	"tokscope/metrics"
)

// Digest stands for a text that is not kept. Zero stands for nothing. Those of one process can be
// compared; what a text was nobody can try, since they have a key that is kept nowhere.
type Digest uint64

var digestKey = rand.Text()

// DigestOf returns the digest of text, zero if it is empty: 53 bits of the SHA-256 of the key and
// the text, which a number of JSON holds.
func DigestOf(text string) Digest {
	if text == "" {
		return 0
	}
	sum := sha256.Sum256([]byte(digestKey + text))
	return Digest(binary.BigEndian.Uint64(sum[:]) >> 11)
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
	Tools Part = iota + 1
	System
	Messages
)

// String returns the word used on screen and in JSON, "" for none.
func (p Part) String() string { return [...]string{"", "tools", "system", "messages"}[p] }

// Block is a piece of a prompt that a prompt cache compares as a whole: a tool, a block of
// the system prompt or of a message.
type Block struct {
	Part Part `json:"part"`
	// Role is that of its message as the client sent it, "" for none: unsanitized.
	Role string `json:"role,omitempty"`
	// Digest is that of its part, its role and its JSON without cache_control. A text is the same
	// as a block that holds nothing but that text.
	Digest Digest `json:"digest"`
	Bytes  int    `json:"bytes"` // of that JSON
}

// Answers says what the last message of a request is. Its values are those of the JSON.
type Answers string

// The values of Answers.
const (
	Unknown Answers = ""
	Person  Answers = "person" // a text, of a person or of the client
	Tool    Answers = "tool"   // the result of a tool, perhaps with a text beside it
)

// Request is what one request of a client says. It has no text of a prompt, no key and no
// address, but for the path. Its strings are the client's: unsanitized.
type Request struct {
	API    string `json:"api"` // name in dialect's table, "" for none: "messages"
	Kind   Kind
	Method string `json:"method"`
	Path   string `json:"path"` // with the names of the query's fields, without their values: "/v1/messages?beta"
	// Model and Service are what is asked for, "" where it names none.
	Model    string          `json:"model"`
	Service  metrics.Service `json:"service"`
	Bytes    int             `json:"request_bytes"` // of the body, or of the frame
	Tools    int             `json:"tools"`         // that it offers
	Messages int             `json:"messages"`      // or items of input; over a WebSocket the new ones alone
	// Session is of the client's id of the session, Previous of the response that it goes on from
	// (previous_response_id); zero: it names none.
	Session  Digest  `json:"session,omitempty"`
	Previous Digest  `json:"previous,omitempty"`
	Blocks   []Block // what a prompt cache compares, in its order. Read only
	Answers  Answers `json:"answers,omitempty"` // what the last message is
}
