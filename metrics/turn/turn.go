package turn

import (
	"slices"
	"time"

	"tokscope/metrics"
)

// Leg is one direction through the tap: what came in, and what went out.
type Leg struct {
	Read    int64 `json:"read_bytes"` // of the body or of the frames
	Written int64 `json:"written_bytes"`
	Differs bool  `json:"sums_differ"` // the checksums of both
}

// Unchanged reports whether the same bytes went out that came in.
func (l Leg) Unchanged() bool { return l.Read == l.Written && !l.Differs }

// Passed is what has passed of a turn so far.
type Passed struct {
	// Response is of the id of the answer, which a later Previous names; zero: not known.
	Response Digest `json:"response,omitempty"`
	// Added is what the tap added to each piece that it passed on, ns; none while the answer goes on.
	Added metrics.Dist `json:"added_ns"`
	Up    Leg          `json:"up"`   // the request
	Down  Leg          `json:"down"` // the answer
}

// Turn is one request of an agent that asks for an answer, and what its client did until the
// next one. The tap fills the first part, and adds the turn again whenever that has changed.
// Its Stream.ID tells it from the others of the session. View fills the second part.
//
// Marks.Start is when the first byte of the client's request arrived at the tap.
type Turn struct {
	Request
	Passed
	Run *metrics.Run // as of now. Read only

	// Number counts the turns of main conversations from 1, in order of their start, and
	// those of a subagent from 1 in its conversation.
	Number       int `json:"turn"`
	Conversation int `json:"conversation"` // its number, see View.Conversations
	// Retry is the Stream.ID of the turn that failed and of which this is the same request
	// again; 0 for none.
	Retry int `json:"retry,omitempty"`
	// Until is when the next turn of the conversation began. Of the last it is NoStamp, or now
	// if Open: what the client does now has not ended.
	Until metrics.Stamp
	Open  bool
	Spans []Span // from Marks.Start to Until, or to the end of the answer if that is not known
	Cache Cache  `json:"" form:"inline"`
}

// Stream returns the record of the answer.
func (t *Turn) Stream() *metrics.Stream { return &t.Run.Stream }

// Bill returns what the turn cost at the user's own prices.
func (t *Turn) Bill() metrics.Bill { return t.Stream().Endpoint.Price.OfUsage(&t.Stream().Usage) }

// Time returns how long the turn was in so many of its activities.
func (t *Turn) Time(of ...Activity) (sum time.Duration) {
	for i := range t.Spans {
		if s := &t.Spans[i]; slices.Contains(of, s.Activity) {
			sum += time.Duration(s.To - s.From)
		}
	}
	return sum
}
