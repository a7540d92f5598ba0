package metrics

import "time"

// LaneState is what one user of a load is doing, as the client sees it.
type LaneState uint8

const (
	// LaneIdle: between two requests (think time, or not yet begun).
	LaneIdle LaneState = iota
	// LaneConnecting: the request is not yet sent.
	LaneConnecting
	// LaneWaiting: sent, and the server has said that it waits in its queue.
	LaneWaiting
	// LanePrefill: sent, no chunk yet (and not known to be queued).
	LanePrefill
	// LaneDecoding: chunks are coming.
	LaneDecoding
	// LaneStalled: decoding, but the last chunk is long ago (LoadView.StallAfter).
	LaneStalled
	// LaneBackoff: waiting as the server asked (Retry-After), or after an error.
	LaneBackoff
	// LaneLeaving: its request may end, no new one follows: the load shrinks.
	LaneLeaving
)

// String returns the word used on screen and in JSON.
func (l LaneState) String() string {
	return [...]string{"idle", "connecting", "waiting", "prefill", "decoding", "stalled", "backoff", "leaving"}[l]
}

// Slice is a short stretch of one lane's past: the state that mattered most in
// it and, while decoding, its longest gap.
type Slice struct {
	State LaneState
	Gap   float32 // ms; 0 when no gap ended in it
}

// Lane is one user of a load at one moment.
type Lane struct {
	User    int // from 1
	State   LaneState
	Since   Stamp // of State
	Stream  int   // id of its running or last request; 0 before any
	Gap     float64
	TTFT    Value   // of its running or last request, ms
	Done    int     // requests that ended well
	Failed  int     // requests that did not
	Past    []Slice // oldest first, LoadView.SliceLen each; shared: read only
	Offset  int     // index of the slice that Past begins with, since the load began
	Leaving bool    // no new request follows
}

// LoadPoint is the state of a load over one window at a constant number of
// users. Every figure is of the window and of the requests that ended well in
// it, unless it says otherwise.
type Point struct {
	Users    int
	From, To Stamp
	Steady   bool
	Why      string // why it is not steady (yet); "" when it is
	Warmup   bool   // the window began before every user had its first chunk

	Speed   Value // per-user tok/s: mean over the requests of 1/TPOT
	SpeedP5 Value // 5th percentile of the same
	Total   Value // throughput: tokens received in the window / window, tok/s
	TTFT    Dist  // ms
	TPOT    Dist  // ms
	Gaps    Dist  // ms
	// Running is the mean number of requests under way that were not known to
	// wait in the server's queue; Prefill how many of them had no first chunk.
	// Waiting is the mean number of those known to wait: unknown for a server
	// that does not tell, whose waiting requests count as prefill.
	Running, Prefill, Waiting Value

	Requests  int // ended well
	Failed    int
	Faults    []FaultCount
	GoodRate  Value // goodput: requests per second that met every SLO
	GoodShare Value // 0..1 of the ended requests; its N is what Misses are counted of
	Rate      Value // requests per second that ended well
	Misses    []Miss
	Estimated bool // tokens are estimated for at least one request
	Tokens    float64
	// Asked is the rate of arrivals of an open loop, requests per second; 0 in
	// a closed one. Users is then the mean number of requests under way.
	Asked float64
	// FromIntended is the time from when the schedule meant a request to be
	// sent to its first chunk, ms: open loop only. Unlike TTFT it holds what
	// this program was late.
	FromIntended Dist
	// GapBins and TTFTBins are the pictures of Gaps and TTFT, ms, on edges that
	// are the same for every point; nil when there is nothing. Read only.
	GapBins, TTFTBins *Histogram
	// Fit is TTFT over the prompt tokens that the server counted, of the requests
	// that TTFT is of; nil when prompts do not vary in length. Read only.
	Fit *TTFTFit
}

// LoadView is an immutable view of a running or ended load.
type View struct {
	Now      Stamp
	Began    Stamp
	Running  bool
	Holding  bool // no new requests begin
	Target   int  // users asked for; 0 while a load ends
	Users    int  // users that exist (more than Target while it shrinks)
	Work     Workload
	Endpoint Endpoint
	SLOs     []Objective

	Lanes    []Lane
	SliceLen time.Duration
	// StallAfter is how long a lane that decodes must be silent to be stalled:
	// far longer than what all lanes know. 0 before any gap was seen.
	StallAfter time.Duration
	// InFlight counts the requests now, Decoding those of them that have had
	// their first chunk. Waiting counts those that wait in the server's queue by
	// its own word: unknown for a server that does not tell. Prefilling is the
	// rest, connecting left out.
	InFlight, Prefilling, Decoding int
	Waiting                        Value

	Live  Point   // the window that is being measured
	Path  []Point // finished points in the order in which they were taken
	Alone *Point  // the last steady point at one user, nil when there is none
	// Series is the history for the time chart, one entry a second, oldest first.
	Series []Sample

	Sent, Done, Failed int
	TokensReceived     float64
	Chunks             int // received by all requests, those under way included
	Faults             []FaultCount
	Broken             string // the breaker's reason; "" while closed
	Budget             Budget
	Observer           Observer
	ClientLimits       string // why this program itself limits the load; "" when it does not
	ScheduleLag        Dist   // ms, open loop: how late requests were sent
	// Cancelled requests are neither done nor failed: this program ended them.
	Cancelled int
	// Stopped says why a load ended by itself (all requests sent, cap of
	// tokens); "" while it runs and when a person stopped it.
	Stopped string
	// Asks is the question whose answer the load waits for before it grows
	// further or spends more; "" when it waits for none.
	Asks string
	// Seed repeats the lengths, nonces and arrivals of this load.
	Seed uint64
	// Rate is the rate of arrivals asked for, requests per second; 0 in a closed loop.
	Rate float64
	// Input and Output are the lengths of prompts and the bounds of answers that
	// each request draws; the zero Lengths: as Work says.
	Input, Output Lengths
}

// LoadSample is one second of a load.
type Sample struct {
	At     Stamp
	Users  int
	Total  float64 // tok/s received in that second
	Speed  Value   // per-user, tok/s
	TTFT   Value   // median of the requests whose first chunk came in it, ms
	Gap    Value   // median, ms
	Failed int
}

// Budget is what a load may use and has used.
type Budget struct {
	Tokens    float64 // prompt and output so far
	MaxTokens float64 // 0: no cap
	Cost      Value   // when a price is configured
	Currency  string  // of Cost; "" when it has no name
	Left      time.Duration
}
