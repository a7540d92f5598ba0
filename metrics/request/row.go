package request

import (
	"strings"
	"tokscope/metrics"
)

// Row holds the figures of one ended request. It is immutable. Its strings come
// from the server: sanitize them before a terminal.
type Row struct {
	ID   int // of the stream, unique within the run of the program
	N    int // in the order of sending, from 1
	User int // who sent it, from 1; 0 is unknown

	Began metrics.Stamp // Marks.Start
	Sent  metrics.Stamp // NoStamp: it was never sent

	TTFT, TPOT, Longest, Total metrics.Value // ms
	Tokens                     metrics.Value
	Estimated                  bool // Tokens are an estimate
	// Prompt is the prompt's tokens as the server counted them, Cached those of
	// them that it found in its prefix cache.
	Prompt, Cached metrics.Value

	State   metrics.State
	Fault   metrics.FaultKind // of a request that did not end well
	Status  int               // of HTTP; 0 without an answer
	Message string            // of the fault, at most mostMessage bytes
	Finish  string            // metrics.Stream.FinishReason
	Unseen  bool              // metrics.Figures.Unseen
	Refused bool              // metrics.Figures.Refused
	Model   string            // that answered, "" when it did not say
	// Endpoint is the name of the endpoint that it was sent to, Work that of its
	// workload.
	Endpoint, Work string
	// Doubt is the first of the gravest doubts about the figures; "" is none. Doubts
	// is their number, without SuspectTruncated, which is State. One that excludes them
	// from comparisons is graver than others, and a cached prompt the least grave of these.
	Doubt  metrics.SuspectCode
	Doubts int
	// Delay is tokscope's own lateness, where it shows in the figures.
	Delay metrics.Delay
}

// mostMessage bounds Row.Message.
const mostMessage = 160

// RowOf returns the row of an ended request: the n-th that was sent, by that
// user, 0 for an unknown one.
func RowOf(n, user int, s *metrics.Stream, f *metrics.Figures) Row {
	r := Row{
		ID: s.ID, N: n, User: user, Began: s.Marks.Start, Sent: s.Marks.Sent,
		TTFT: f.TTFT, TPOT: f.TPOT, Longest: f.Longest, Total: f.Total,
		Tokens: f.Tokens, Prompt: f.PromptTokens, Cached: f.CachedTokens,
		Estimated: f.TokenSource == metrics.TokensEstimated, State: s.State, Model: s.Model,
		Endpoint: s.Endpoint.Name, Work: s.Work.Name, Doubts: len(f.Suspect), Delay: f.Delay,
		Finish: s.FinishReason(), Unseen: f.Unseen(s), Refused: f.Refused(s),
	}
	if s.Head != nil {
		r.Status = s.Head.Status
	}
	if s.Fault != nil {
		r.Fault, r.Message = s.Fault.Kind, strings.Clone(metrics.Head(s.Fault.Message, mostMessage))
		if s.Fault.Status != 0 {
			r.Status = s.Fault.Status
		}
	}
	for i := range f.Suspect {
		if c := f.Suspect[i].Code; c == metrics.SuspectTruncated { // State says it
			r.Doubts--
		} else if r.Doubt == "" || gravity(c) > gravity(r.Doubt) {
			r.Doubt = c
		}
	}
	return r
}

// gravity orders doubts.
func gravity(c metrics.SuspectCode) int {
	switch {
	case !c.Excludes():
		return 0
	case c == metrics.SuspectCached:
		return 1
	}
	return 2
}

// Good reports whether the request ended well.
func (r *Row) Good() bool { return r.State == metrics.Done }

// Bad reports whether it failed or was cut off. A canceled request is neither
// good nor bad: this program stopped it.
func (r *Row) Bad() bool { return r.State == metrics.Failed || r.State == metrics.Truncated }

// Suspect reports a doubt that excludes the figures from comparisons.
func (r *Row) Suspect() bool { return r.Doubt.Excludes() }
