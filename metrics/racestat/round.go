package racestat

import (
	"cmp"
	"math"

	"tokscope/metrics"
	"tokscope/metrics/figure"
)

// Figures are those that a race compares, Times those of them that are times. Lower
// is better for all.
var (
	Figures = [...]figure.ID{figure.TTFT, figure.TPOT, figure.Total, figure.Longest, figure.Failures}
	Times   = Figures[:len(Figures)-1]
)

// Name returns a figure's name in the JSON of a race.
func Name(f figure.ID) string {
	if f == figure.Longest {
		return "stall"
	}
	return f.String()
}

// Result is one request of a lane.
type Result struct {
	// Values are its Times in ms.
	Values [figure.Kept]metrics.Value
	// Fault is why it failed, nil for a good end.
	Fault *metrics.Fault `json:"fault,omitempty"`
	// Prompt and Output are the tokens that it took; Counted reports that the
	// server counted both. Cost is that of metrics.Cost.
	Prompt  float64 `json:"prompt_tokens"`
	Output  float64 `json:"output_tokens"`
	Counted bool    `json:"tokens_counted"`
	Cost    metrics.Value
	// Connect is the time of name lookup, TCP and TLS, ms: they come before the
	// moment from which the times of a race count. Unknown over a reused
	// connection.
	Connect metrics.Value `json:"connect_ms" form:"bare"`
	// Stream is its number within the program. Proto is the protocol of its
	// response, "" without one. Reused reports a connection that was reused.
	Stream int `json:"request"`
	Proto  string
	Reused bool `json:"connection_reused"`
	// Delay is this program's own lateness, where it shows in the figures.
	Delay metrics.Delay
	// MayBeHeld is that of the figures.
	MayBeHeld bool
	Unended   metrics.SuspectCode `json:"end_marker_missing,omitempty"` // metrics.Connection.Unended; spoils no figure
}

// Failed reports whether the request did not end well.
func (r *Result) Failed() bool { return r.Fault != nil }

// Round is one request for each lane.
type Round struct {
	// N counts from 1. The first round is dropped: it warms up connections and
	// servers, and is no pair.
	N       int  `json:"n"`
	Dropped bool `json:"dropped"`
	// Order has the lanes in the order in which they ran.
	Order []int `json:"order"`
	// Results are those of the lanes, by lane.
	Results []Result
}

// Best returns the lane with the lowest value of a timed figure, -1 if none has
// one or several have it.
func (r *Round) Best(f figure.ID) int {
	best, low := -1, math.Inf(1)
	for lane := range r.Results {
		v := r.Results[lane].Values[f]
		switch {
		case !v.OK || r.Results[lane].Failed():
		case v.V < low:
			best, low = lane, v.V
		case v.V == low:
			best = -1
		}
	}
	return best
}

// outpaces reports whether r may have been held back and came so much faster than o
// that the difference says nothing of its model.
func (r *Result) outpaces(o *Result) bool {
	tpot := o.Values[figure.TPOT]
	return r.MayBeHeld && tpot.OK && tpot.V >= outpaced*r.Values[figure.TPOT].V
}

// ResultOf returns the result of an ended request.
func ResultOf(s *metrics.Stream, f *metrics.Figures) Result {
	r := Result{
		Stream: s.ID, Proto: s.Conn.Proto, Reused: s.Conn.Reused, Delay: f.Delay, MayBeHeld: f.MayBeHeld(),
		Unended: s.Conn.Unended(),
	}
	for _, id := range Times {
		r.Values[id] = figure.Of(id).Value(s, f)
	}
	if s.State != metrics.Done {
		r.Fault = cmp.Or(s.Fault, &metrics.Fault{Kind: metrics.FaultInternal})
	}
	r.Connect = figure.Sum(f.DNS, f.TCP, f.TLS)
	r.tokens(s, f)
	return r
}

// charsPerToken estimates tokens of a text that no server counted: English prose
// has about four characters a token.
const charsPerToken = 4

// tokens fills in what the request took, from the server's counts or estimated:
// prompt by its length, output by its chunks.
func (r *Result) tokens(s *metrics.Stream, f *metrics.Figures) {
	sent := s.Marks.Sent.Known()
	r.Counted = f.PromptTokens.OK && f.Tokens.OK && f.TokenSource != metrics.TokensEstimated || !sent
	switch {
	case f.PromptTokens.OK:
		r.Prompt = f.PromptTokens.V
	case sent:
		r.Prompt = EstimatePrompt(&s.Work)
	}
	r.Output = float64(len(s.Chunks))
	if f.Tokens.OK {
		r.Output = f.Tokens.V
	}
	if r.Cost = metrics.Cost(s, f); !sent {
		r.Cost = metrics.Known(0, 0)
	}
}

// EstimatePrompt returns about how many tokens the prompt of w has.
func EstimatePrompt(w *metrics.Workload) float64 {
	return max(float64(w.InputTokens), float64(len(w.Text())+len(w.Tools)+len(w.Nonce))/charsPerToken)
}
