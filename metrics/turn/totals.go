package turn

import (
	"time"

	"tokscope/metrics"
)

// Totals are the figures of a session.
type Totals struct {
	// Clock is the time on the clock in which the session was in some activity, and the four
	// behind it divide it: they sum to it. Where main conversations overlap, the first of these
	// that one of them does counts. What lies behind the last turn of a conversation that did
	// not go on is in none.
	Clock   time.Duration
	Model   time.Duration // Wait, Thinking, Text and Call of main conversations
	Network time.Duration // their Connect and Upload
	Client  time.Duration // their Client and ServerTool, and the turns of subagents
	You     time.Duration

	Turns     int // of them OfAgents are subagents'
	OfAgents  int
	Retries   int
	Failures  []Failure // the most frequent first
	Otherwise []Otherwise

	// Tokens as the servers counted them. N is the number of turns that tell them.
	In     metrics.Value // prompt tokens, cached ones too
	Cached metrics.Value // of the prompt tokens of those that tell both, a share 0..1
	Out    metrics.Value
	Cost   metrics.Value // at the user's own prices; N is the number of turns that it is of
	// Currency of Cost. Turns at prices in another one than the first are not in it.
	Currency string
}

// Failure counts turns that failed alike.
type Failure struct {
	Kind   metrics.FaultKind
	Status int // HTTP status, 0 without one
	N      int
}

// Otherwise counts turns that were served by another model, or in another class, than asked
// for. Of what was served as asked, both sides are empty.
type Otherwise struct {
	AskedModel, Model string
	Asked, Served     metrics.Service
	N                 int
}
