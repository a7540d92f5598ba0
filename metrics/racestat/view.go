package racestat

import (
	"iter"
	"math"
	"slices"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/condition"
	"tokscope/metrics/figure"
	"tokscope/metrics/pick"
	"tokscope/metrics/turn"
)

// Bounds end a race that is not settled. A zero value is no bound.
type Bounds struct {
	// Pairs is the number of rounds, without the dropped one.
	Pairs int `json:"pairs" form:"null=zero"`
	// Most is the time that the race runs, pauses left out.
	Most time.Duration `json:"seconds" form:"s,null=zero"`
	// Tokens are those of lanes elsewhere than on this machine, prompt and
	// output.
	Tokens float64 `json:"tokens" form:"null=zero"`
}

// EndCode says why a race ended. Its values are those of the JSON.
type EndCode string

const (
	// NotEnded: it runs, or never began.
	NotEnded EndCode = ""
	// EndSettled: see Settled.
	EndSettled EndCode = "settled"
	EndPairs   EndCode = "pairs"
	EndTime    EndCode = "time"
	// EndTokens: the next round could exceed the bound of tokens.
	EndTokens EndCode = "tokens"
	// EndLane: a lane failed in each of the first rounds.
	EndLane EndCode = "lane_failed"
	// EndBlocks: all blocks of a Swap are there.
	EndBlocks EndCode = "blocks"
	// EndRestart: the server of a Swap did not come back. The fault is that of Block.
	EndRestart EndCode = "restart_failed"
	// EndStopped: a person, or the end of the program.
	EndStopped EndCode = "stopped"
)

// Lane is a contestant and what it took so far, the dropped round included.
type Lane struct {
	Label      string           `json:"label"`           // as typed; unique in the race
	Value      string           `json:"value,omitempty"` // of the field that varies
	Endpoint   metrics.Endpoint `json:"endpoint"`
	Connection metrics.Reuse    `json:"connection"`
	// HTTP is the version that its target asks for, 0 for none. Direct reports
	// that the environment's proxy is left out.
	HTTP   int  `json:"http,omitempty"`
	Direct bool `json:"direct,omitempty"`
	// Here reports a lane on this machine. It costs nothing.
	Here bool `json:"on_this_machine"`
	// Model and Proto are those of its last response.
	Model, Proto string
	Asked        metrics.Service `json:"asked,omitzero"`  // what its requests name
	Served       metrics.Service `json:"served,omitzero"` // what its last answer says
	// Otherwise counts the answers that were served otherwise than asked.
	Otherwise int `json:"served_otherwise,omitempty"`

	Requests int
	Faults   []metrics.FaultCount
	// Counted and Lost are its requests and failures in rounds that count.
	Counted, Lost int
	Last          *metrics.Fault // its last failure
	// Late counts requests whose figures this program's own lateness affected.
	Late    int
	Unended int // answers without their end marker
	// Hidden counts answers with thinking that was not sent, or as a summary: their tokens
	// and their speed leave it out.
	Hidden int `json:"thinking_left_out,omitempty"`
}

// Answers returns the number of its requests that did not fail.
func (l *Lane) Answers() int {
	n := l.Requests
	for _, f := range l.Faults {
		n -= f.N
	}
	return n
}

// Told returns what the answers of the lane say of a field of the request, "" where they
// do not say whether the server used it.
func (l *Lane) Told(field string) string {
	switch field {
	case "model":
		return l.Model
	case "tier":
		return l.Served.Tier
	case "speed":
		return l.Served.Speed
	}
	return ""
}

// Throughout reports whether the lane failed in every round.
func (l *Lane) Throughout() bool { return l.Requests > 0 && l.Answers() == 0 }

// Spent is what a race took, or will take.
type Spent struct {
	// Tokens are those of all lanes, Billed those of lanes elsewhere.
	Tokens float64 `json:"tokens"`
	Billed float64 `json:"tokens_elsewhere"`
	// Estimated: not all were counted by a server.
	Estimated bool `json:"estimated"`
	// Money is in Currency; unknown where a lane elsewhere has no price. Free
	// reports that no lane is elsewhere.
	Money    metrics.Value `json:"money" form:"bare"`
	Currency string        `json:"currency,omitempty"`
	Free     bool
	// Time is that of the requests, and of what lay between them.
	Time time.Duration `json:"seconds" form:"s"`
}

// Phase says what a lane does in the present round.
type Phase uint8

const (
	// Next: it has not run in this round.
	Next Phase = iota
	// Running: it is live.
	Running
	// Recorded: it has run in this round.
	Recorded
)

// View is a race at one moment. It is immutable.
type View struct {
	Began metrics.Stamp // NoStamp before any
	Wall  time.Time     // the same, for labels
	Now   time.Duration // since then, when this view was taken; 0 without a Swap
	// Running is false before and after; Holding lets no request begin.
	Running, Holding bool
	// Parallel races run all lanes at the same time.
	Parallel bool             `json:"mode" form:"words=sequential|parallel"`
	Vary     string           `json:"vary,omitempty"` // the field of the request in which lanes of one target differ
	Seed     uint64           // of the orders and nonces
	Work     metrics.Workload `json:"workload"`          // of each request, before its own nonce
	Session  *turn.Script     `json:"session,omitempty"` // that is played with the rest of workload
	Bounds   Bounds           `json:"bounds"`            // of the race; null is no bound
	// Conditions are those of the plan.
	Conditions []condition.Condition
	Lanes      []Lane  `json:"lanes"`
	Phases     []Phase // what the lanes do in the present round
	Rounds     []Round // the ended ones
	// Swap is that of the plan, without keys; nil where lanes race in pairs. Such a race has
	// no rounds: BlockOrder has the lanes of all its blocks as they were drawn, Blocks those
	// that are whole. Block is the one under way, or that was cut, with what it has, and Step
	// what it does; its N is 0 without one.
	Swap       *Swap `json:"swap,omitempty"`
	BlockOrder []int `json:"block_order,omitempty"`
	Blocks     []Block
	Block      Block
	Step       Step
	// Level is the probability that any verdict is ever wrong, for the time of which it
	// is. It is split evenly over the verdicts, each of which has Alpha.
	Level    float64 `json:"level"`
	Alpha    float64 `json:"level_each"`
	Band     float64 `json:"band"` // ratios between 1/Band and Band are no difference
	Verdicts []Verdict
	Spent    Spent
	Ended    EndCode
	// Failing is the lane of EndLane.
	Failing  int
	Observer metrics.Observer
}

// Pairs returns the number of ended rounds that count.
func (v *View) Pairs() int {
	return pick.Count(v.Rounds, func(r *Round) bool { return !r.Dropped })
}

// Median returns the median of a time of a lane over the rounds that count. It is
// unknown without one, and for Failures.
func (v *View) Median(f figure.ID, lane int) metrics.Value {
	if f >= figure.Kept {
		return metrics.Unknown(metrics.WhyNoneEnded)
	}
	return v.median(lane, func(r *Result) metrics.Value { return r.Values[f] })
}

// Off returns how far the TTFT and the total of a round are from the medians of their lanes:
// the sum of the logarithms of their ratios. A failure is +Inf.
func (v *View) Off(r *Round) (sum float64) {
	for lane := range r.Results {
		for _, f := range [...]figure.ID{figure.TTFT, figure.Total} {
			x, m := r.Results[lane].Values[f], v.Median(f, lane)
			if r.Results[lane].Failed() || !x.OK || !m.OK {
				return math.Inf(1)
			}
			sum += math.Abs(math.Log(x.V / m.V))
		}
	}
	return sum
}

// TTFTWithFailures returns the percentiles of a lane's TTFT over the rounds that count, its
// failures among them; zero where none failed.
func (v *View) TTFTWithFailures(lane int) metrics.WithFailures {
	var ended []float64
	for r := range v.Good(lane) {
		if t := r.Values[figure.TTFT]; t.OK {
			ended = append(ended, t.V)
		}
	}
	return metrics.WithFailuresOf(ended, v.Lanes[lane].Lost)
}

// Good returns the requests of a lane that count and ended well, in rounds and in blocks.
func (v *View) Good(lane int) iter.Seq[*Result] {
	return func(yield func(*Result) bool) {
		for i := range v.Rounds {
			if r := &v.Rounds[i]; !r.Dropped && !r.Results[lane].Failed() && !yield(&r.Results[lane]) {
				return
			}
		}
		for i := range v.Blocks {
			for j := range v.Blocks[i].Results {
				if r := &v.Blocks[i].Results[j]; v.Blocks[i].Lane == lane && !r.Failed() && !yield(r) {
					return
				}
			}
		}
	}
}

// Connect returns the median time of connecting of a lane, and is unknown where
// it reuses connections. See Result.Connect.
func (v *View) Connect(lane int) metrics.Value {
	return v.median(lane, func(r *Result) metrics.Value { return r.Connect })
}

// median returns that of a value of a lane over the rounds that count.
func (v *View) median(lane int, of func(*Result) metrics.Value) metrics.Value {
	var m metrics.Middle
	for r := range v.Good(lane) {
		m.Add(of(r))
	}
	return m.Median(metrics.WhyNoneEnded)
}

// Verdict returns that of a figure between lanes a and b, turned so that a is
// its first lane.
func (v *View) Verdict(f figure.ID, a, b int) (Verdict, bool) {
	for i := range v.Verdicts {
		switch w := v.Verdicts[i]; {
		case w.Figure != f:
		case w.A == a && w.B == b:
			return w, true
		case w.A == b && w.B == a:
			return w.Turned(), true
		}
	}
	return Verdict{}, false
}

// Turned returns v with its lanes exchanged.
func (v Verdict) Turned() Verdict {
	v.A, v.B = v.B, v.A
	v.Wins, v.Losses = v.Losses, v.Wins
	v.Ratio, v.Lo, v.Hi = 1/v.Ratio, 1/v.Hi, 1/v.Lo
	v.Faster = -v.Faster
	return v
}

// Settled reports whether a timed verdict is settled.
func (v *View) Settled() bool {
	return pick.First(v.Verdicts, func(w *Verdict) bool { return w.Figure != figure.Failures && w.State.Settled() }) != nil
}

// CostOf returns what so many more pairs take at the present rate. Without a
// finished round it is zero, with money unknown.
func (v *View) CostOf(pairs int) Spent {
	rounds := float64(len(v.Rounds))
	if rounds == 0 {
		return Spent{Money: metrics.Unknown(metrics.WhyNoneEnded)}
	}
	s, share := v.Spent, float64(pairs)/rounds
	s.Tokens, s.Billed, s.Time = s.Tokens*share, s.Billed*share, time.Duration(float64(s.Time)*share)
	s.Money.V *= share
	return s
}

// Alike returns the timed verdict with the largest autocorrelation of neighboring
// pairs, of those with enough pairs to tell. ok is false without one.
func (v *View) Alike() (most Verdict, ok bool) {
	return v.most(func(w *Verdict) bool { return w.Scope() != FewRounds }, func(w *Verdict) float64 { return w.Lag1 })
}

// most returns the first timed verdict with the largest value of those that are so.
func (v *View) most(so func(*Verdict) bool, value func(*Verdict) float64) (most Verdict, ok bool) {
	for i := range v.Verdicts {
		w := &v.Verdicts[i]
		if w.Figure != figure.Failures && so(w) && (!ok || value(w) > value(&most)) {
			most, ok = *w, true
		}
	}
	return most, ok
}

// OrderBias returns the timed verdict in which running first matters most, of
// those where it does.
func (v *View) OrderBias() (most Verdict, ok bool) {
	return v.most(func(w *Verdict) bool { return w.OrderBias },
		func(w *Verdict) float64 { return math.Abs(w.OrderShare - 0.5) })
}

// Throughout returns the first lane that failed in every round, -1 if none did.
func (v *View) Throughout() int {
	return slices.IndexFunc(v.Lanes, func(l Lane) bool { return l.Throughout() })
}
