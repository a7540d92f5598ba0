package watchstat

import (
	"time"

	"tokscope/metrics"
	"tokscope/metrics/pick"
)

// Bounds are what a watch may use in a day (UTC), of all targets elsewhere than on
// this machine. A zero value is no bound.
type Bounds struct {
	Tokens float64 `json:"tokens_a_day" form:"null=zero"` // prompt and output
	Money  float64 `json:"money_a_day" form:"null=zero"`  // in the currency of the prices, where they are known
}

// DefaultBounds are enough for a probe every 30 s with some 80 tokens, and a few
// cents at most providers.
var DefaultBounds = Bounds{Tokens: 250_000, Money: 1}

// SkipCode says why slots of the schedule had no probe.
type SkipCode string

// The reasons.
const (
	NotSkipped  SkipCode = ""
	SkipBusy    SkipCode = "busy"        // the probe before it still ran, or the machine slept
	SkipBackOff SkipCode = "back_off"    // after failures one after the other
	SkipRetry   SkipCode = "retry_after" // the server asked for a pause
	SkipLimit   SkipCode = "rate_limit"  // nothing is left of a rate limit until its reset
	SkipTokens  SkipCode = "tokens"      // the bound of tokens a day is reached
	SkipMoney   SkipCode = "money"       // the same of money
)

// Skip is a pause of a target: slots of its schedule without a probe.
type Skip struct {
	Code  SkipCode  `json:"reason"`        // "" when probes go on
	Slots int       `json:"slots_skipped"` // since it began; 0: the pause has just begun
	Until time.Time `json:"until"`         // of the next probe
}

// EndCode says why a watch ended. Its values are those of the JSON.
type EndCode string

// The ends.
const (
	NotEnded   EndCode = ""
	EndProbes  EndCode = "probes"  // each target has had its probes
	EndTime    EndCode = "time"    // the time is over
	EndMet     EndCode = "met"     // a condition is met
	EndStopped EndCode = "stopped" // by a person, a signal, or the end of the output
)

// Target is one row of a watch: a target with its workload.
type Target struct {
	Label    string           `json:"label"` // as typed; unique in the watch
	Endpoint metrics.Endpoint `json:"endpoint"`
	Work     metrics.Workload `json:"workload"`
	Model    string           // of its last answer
	Here     bool             `json:"on_this_machine"` // it costs nothing
	View     View
	Fault    *metrics.Fault // of the last probe, nil for a good end
	Request  string         // the server's id of the last probe, "" without one
	Skip     Skip           // the present pause
	Skipped  int            // slots without a probe so far
	Spent    float64        // tokens so far
	// Judgments are the outcomes of the conditions.
	Judgments []Judgment
	// Typical are the medians of the last 72 h of Typicals, with a program.
	Typical [Timed]metrics.Value
}

// Board is a watch at one moment. It is immutable.
type Board struct {
	Began  time.Time
	Every  time.Duration
	Bounds Bounds
	// Program is the name of a fixed series of workloads, "" without.
	Program string
	Targets []Target
	// Tokens and Money are what the targets elsewhere used on this day. Priced
	// reports that all of them have a price.
	Tokens, Money float64
	Currency      string
	Priced        bool
	Ended         EndCode
}

// Changed returns how many targets have an incident.
func (b *Board) Changed() int {
	return pick.Count(b.Targets, func(t *Target) bool { return t.View.State == Changed })
}

// Update is what happened to one target of a board.
type Update struct {
	Board  Board
	Target int // index
	// Probe reports an ended probe; else a pause began, or is over.
	Probe bool
	Event Event
}
