package loadstat

import (
	"time"

	"tokscope/metrics"
)

// Shard is one part of a load that several machines send together. Requests, users and
// arrivals are dealt out one by one. The zero Shard is a whole load.
type Shard struct {
	Index int `json:"index"` // from 0
	Of    int `json:"of"`    // parts
}

// Parted reports whether s is a part, be it the only one.
func (s Shard) Parted() bool { return s.Of > 0 }

// Users returns how many of n users are of s.
func (s Shard) Users(n int) int { return (n + max(s.Of, 1) - 1 - s.Index) / max(s.Of, 1) }

// Rate returns the part of s in a rate.
func (s Shard) Rate(r float64) float64 { return r / float64(max(s.Of, 1)) }

// Number returns which request of the load the i-th of s is, both from 0.
func (s Shard) Number(i int) int { return i*max(s.Of, 1) + s.Index }

// ShardRun is what one shard says of its part in a load.
type ShardRun struct {
	Shard
	Start time.Time     `json:"start_at"` // when all shards were to begin
	Late  time.Duration `json:"late_ms"`  // how much later this one began
	// Offset is what the endpoint's clock is ahead of that of the machine, within Within. Where
	// the two certainly differ, the machine began by the endpoint's.
	Offset metrics.Value `json:"clock_offset_ms"`
	Within float64       `json:"clock_within_ms"`
	Users  []int         `json:"users,omitempty"` // steps of the whole load
	Rates  []float64     `json:"rates,omitempty"` // the same of an open loop
	Parts  []Part        `json:"parts,omitempty"` // of the steps that it measured; absent in a merged document
	File   string        `json:"file,omitempty"`  // that it was merged from
}

// Corrected reports whether the machine began by the endpoint's clock.
func (r *ShardRun) Corrected() bool { return r.Offset.OK && max(r.Offset.V, -r.Offset.V) > r.Within }

// Part is what happened at one shard in the window of one step. Times count from the common
// begin of the load.
type Part struct {
	Step  int           `json:"step"`  // from 0
	Users int           `json:"users"` // of this shard; 0 in an open loop
	From  metrics.Stamp `json:"from_ns"`
	To    metrics.Stamp `json:"to_ns"` // whole seconds after from
	Rows  []PartRow     `json:"rows"`  // requests that were sent and have ended in the window
	// Intervals are sums over all users for each 100 ms: tokens received, of them not counted
	// by the server, those after a first chunk and their ms; requests that ended well, failed,
	// arrived, and were sent again; requests · ms with a first chunk, without one, in the
	// server's queue, and due but not sent; ms behind these.
	Intervals [][]float64 `json:"intervals"`
	Gaps      [][]float64 `json:"gaps"` // of each second, as metrics.Sketch exports them
	Faults    []PartFault `json:"faults,omitempty"`
	// Begun and Unbegun are the waits so far, ms, of what an open loop had due at the end of
	// the window: with a first chunk, where the wait is over, and without one.
	Begun   []float64 `json:"begun_ms,omitempty"`
	Unbegun []float64 `json:"unbegun_ms,omitempty"`
}

// PartRow is a request that was sent and has ended in a window.
type PartRow struct {
	Start    metrics.Stamp `json:"start_ns"`
	End      metrics.Stamp `json:"end_ns"`
	OK       bool          `json:"ok"`                  // ended well
	LeftOpen bool          `json:"left_open,omitempty"` // waited for an end marker
	AtOnce   bool          `json:"at_once,omitempty"`   // held back and let go, see metrics.Figures.AtOnce
	Tokens   float64       `json:"tokens"`              // received
	// Figures are TTFB, TTFT, time to the first content, TPOT, the p99 of a token's gap, the longest
	// gap, total (ms), tok/s, prompt tokens, TTFT from the schedule, TTFT and TPOT as MLPerf defines
	// them (ms); null where one is unknown.
	Figures RowFigures `json:"figures"`
}

// RowFigures are the figures of a request, NaN where one is unknown: those of all objectives in
// the order of slo.Names, and the others after them.
type RowFigures []float64

// Indexes in RowFigures.
const (
	RowTTFB = iota
	RowTTFT
	RowTTFC
	RowTPOT
	RowITL
	RowGap
	RowTotal
	RowSpeed        // tok/s
	RowPrompt       // tokens
	RowFromSchedule // from the intended time to the first chunk
	RowMLPerfTTFT   // as MLPerf defines it, as the next
	RowMLPerfTPOT
	RowLength // of all of them
)

// PartFault is a failed request.
type PartFault struct {
	At   metrics.Stamp     `json:"at_ns"`
	Kind metrics.FaultKind `json:"kind"`
}
