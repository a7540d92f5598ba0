package loadstat

import (
	"time"

	"tokscope/metrics"
)

// Shard is one part of a load that several machines send together. Requests, users and
// arrivals of the load are dealt out one by one, so the parts have all of them, and none
// twice. The zero Shard is a whole load.
type Shard struct {
	Index int `json:"index"` // from 0
	Of    int `json:"of"`    // parts
}

// Parted reports whether s is a part, be it the only one.
func (s Shard) Parted() bool { return s.Of > 0 }

// Users returns how many of n users are of s.
func (s Shard) Users(n int) int {
	if !s.Parted() {
		return n
	}
	return (n + s.Of - 1 - s.Index) / s.Of
}

// Rate returns the part of s in a rate.
func (s Shard) Rate(r float64) float64 { return r / float64(max(s.Of, 1)) }

// Number returns which request of the load the i-th of s is, both from 0.
func (s Shard) Number(i int) int { return i*max(s.Of, 1) + s.Index }

// ShardRun is what one shard says of its part in a load.
type ShardRun struct {
	Shard
	Start time.Time     `json:"start_at"` // when all shards were to begin
	Late  time.Duration `json:"late_ms"`  // how much later this one began
	Clock Clock         `json:"clock"`
	// Users or Rates are the steps of the whole load.
	Users []int     `json:"users,omitempty"`
	Rates []float64 `json:"rates,omitempty"`
	// Parts are its part in each step that it measured to the end; absent in a merged document.
	Parts []Part `json:"parts,omitempty"`
	File  string `json:"file,omitempty"` // that it was merged from
	// Last is its part in the last step that was merged; absent where it has none.
	Last *ShardStep `json:"last_step,omitempty"`
}

// ShardStep is what one shard saw in a step, to find a machine that is unlike the others.
type ShardStep struct {
	Requests int           `json:"ended_well"`
	Total    metrics.Value `json:"throughput_tok_per_s"`
	TTFT     metrics.Value `json:"ttft_p50_ms"`
	TPOT     metrics.Value `json:"tpot_p50_ms"`
}

// Clock compares the clock of a machine with that of the endpoint, by the Date headers of
// some answers. They have whole seconds: many of them, sent around the turn of a second,
// narrow it down.
type Clock struct {
	Offset metrics.Value `json:"offset_ms"` // what the endpoint's clock is ahead
	Within float64       `json:"within_ms"` // that it is off by at most, 0 for an unknown offset
	// Corrected: the two certainly differ, so this machine began by the endpoint's clock.
	Corrected bool `json:"corrected"`
}

// Part is what one shard measured in one step: what happened, not figures of it, so that
// the figures of all shards are computed once, from everything. Times count from the
// common begin of the load.
type Part struct {
	Step  int           `json:"step"`  // from 0
	Users int           `json:"users"` // of this shard; 0 in an open loop
	From  metrics.Stamp `json:"from_ns"`
	To    metrics.Stamp `json:"to_ns"` // whole seconds after from
	Queue bool          `json:"queue"` // the server reports its queue
	// Rows are the requests that were sent and have ended in the window, the oldest first:
	// begin, end, ended well, waited for an end marker, held back and let go, tokens
	// received, TTFT, TPOT, total, tok/s, prompt tokens, TTFT from the schedule, TTFT and TPOT
	// as MLPerf defines them, and the figure of each objective. Times are ms, and what is yes
	// or no is 1 or 0.
	Rows [][]metrics.Value `json:"rows"`
	// LeftOut are the oldest requests of the window, which had no room.
	LeftOut int `json:"rows_left_out,omitempty"`
	// Intervals are sums over all users for each 100 ms of the window: tokens received, of
	// them not counted by the server, those after a first chunk and their ms; requests that
	// ended well, failed, arrived, and were sent again; requests · ms with a first chunk,
	// without one, in the server's queue, and due but not sent; ms behind these.
	Intervals [][]float64 `json:"intervals"`
	// Gaps are those of each second of the window.
	Gaps []metrics.SketchBins `json:"gaps"`
	// Faults are the requests that failed in the window.
	Faults []PartFault `json:"faults,omitempty"`
	// Begun and Unbegun are the waits so far, ms, of what an open loop had due at the end of
	// the window: with a first chunk, where the wait is over, and without one.
	Begun   []float64 `json:"begun_ms,omitempty"`
	Unbegun []float64 `json:"unbegun_ms,omitempty"`
}

// PartFault is a failed request.
type PartFault struct {
	At   metrics.Stamp     `json:"at_ns"`
	Kind metrics.FaultKind `json:"kind"`
}
