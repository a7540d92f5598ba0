package turn

import (
	"time"

	"tokscope/metrics"
)

// Cache is what the prompt cache did for a turn, as far as the server tells.
type Cache struct {
	Share metrics.Value // prompt tokens from the cache / prompt tokens, 0..1
	Lost  *Lost         // nil: it was not lost
}

// Lost says that a turn had less than half of the share from the cache that the turn before
// it in the conversation had, on the same model, and with no fewer messages.
type Lost struct {
	Before int           // Stream.ID of that turn
	Share  float64       // that it had
	After  time.Duration // from the end of its answer to the start of this turn: caches forget
	// The first block that differs from the turn before is number Block, from 1, of the Of of
	// its part. Block 0: all are the same, as far as the client sent them; Known is false
	// where it sent only new ones.
	Part      Part
	Block, Of int
	Known     bool
	// Tokens that the turn before had in its prompt and that were read again.
	Tokens int
	// Cost is an estimate, ms: the wait less what the tokens that are new would have taken, at
	// the median wait a token of the N other turns on this model that lost nothing.
	Cost metrics.Value
}
