package racestat

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/stats"
)

// Swap is a race of one's own server under several settings, a lane each: a command
// restarts it before each block of requests. Blocks are judged, not requests: those of
// one start have more in common than the setting.
type Swap struct {
	// Command holds the words of what restarts the server: no shell reads them. LaneWord
	// in them stands for the label of the lane.
	Command []string `json:"command"`
	// Blocks is the number of blocks of a lane, which is fixed before, Requests that of
	// the requests of a block, without those that warm up.
	Blocks   int `json:"blocks"`
	Requests int `json:"requests"`
	// Within bounds the time from the start of the command until the model answers; 0 is
	// RestartWithin.
	Within time.Duration `json:"restart_within_s" form:"s"`
}

// Defaults and limits of a Swap.
const (
	LaneWord      = "{lane}"
	DefaultBlocks = 6
	// MostBlocks: what more of them could tell takes a lane hours of restarts.
	MostBlocks = 10
	// DefaultRequests is enough: the mean of 5 varies by less than half of what one request
	// does, and more of them tell nothing of how starts differ.
	DefaultRequests = 5
	MostRequests    = 100
	RestartWithin   = 10 * time.Minute
)

// Swapped are the figures that blocks are judged by: prefill and decode.
var Swapped = [...]figure.ID{figure.TTFT, figure.TPOT}

// Step is what a race with a Swap does now. Its values are those of the JSON.
type Step string

const (
	NoStep    Step = ""           // between blocks, before and after
	Starting  Step = "starting"   // the command has begun, and the server before it is not gone
	Waiting   Step = "waiting"    // for the endpoint to answer with its model
	WarmingUp Step = "warming_up" // requests that do not count
	Measuring Step = "measuring"
)

// Block is one start of the server and the requests to it.
type Block struct {
	N    int `json:"n"` // from 1
	Lane int `json:"lane"`
	// Began is when the command was run, Ready when the model had answered, First when the
	// first request that counts was sent, Last when the last one ended: since the race
	// began, 0 for what did not happen.
	Began time.Duration `json:"began_s" form:"s"`
	Ready time.Duration `json:"ready_s" form:"s,null=zero"`
	First time.Duration `json:"first_s" form:"s,null=zero"`
	Last  time.Duration `json:"last_s" form:"s,null=zero"`
	// Values has TTFT and TPOT, ms: the geometric mean of the requests that have the
	// figure, N of them. It is unknown unless these are more than half.
	Values  [figure.Kept]metrics.Value
	Results []Result // of the requests that count
	Failed  int      `json:"failed"`
	// Fault is why the restart failed, where Ready is 0, or why the last failed request did.
	Fault *metrics.Fault `json:"fault,omitempty"`
}

// label is what a lane may be called: its label becomes part of a command.
var label = regexp.MustCompile(`^[A-Za-z0-9._=-]{1,64}$`)

// Check returns what is wrong with a Swap between lanes of these labels, in words.
func (s *Swap) Check(labels []string) error {
	lanes := len(labels)
	if lanes < MinLanes || lanes > MaxLanes {
		return fmt.Errorf("name %d to %d settings, such as off,on", MinLanes, MaxLanes)
	}
	for i, l := range labels {
		switch {
		case !label.MatchString(l):
			return fmt.Errorf("a setting is called %q: use letters, digits and . _ = -, 64 at most", l)
		case slices.Contains(labels[:i], l):
			return fmt.Errorf("two settings are called %s: give each a name of its own", l)
		}
	}
	if !slices.ContainsFunc(s.Command, func(w string) bool { return strings.Contains(w, LaneWord) }) {
		return errors.New("the command is the same for every setting: write {lane} where its name belongs")
	}
	switch least := NeedsBlocks(lanes); {
	case s.Blocks < least:
		return fmt.Errorf("%d blocks a setting cannot decide anything between %d: %d are the least", s.Blocks, lanes, least)
	case s.Blocks > MostBlocks:
		return fmt.Errorf("%d blocks a setting are too many: %d are the most", s.Blocks, MostBlocks)
	case s.Requests < 1 || s.Requests > MostRequests:
		return fmt.Errorf("a block takes 1 to %d requests", MostRequests)
	}
	return nil
}

// All returns the number of blocks of so many lanes.
func (s *Swap) All(lanes int) int { return s.Blocks * lanes }

// SwapAlpha returns the level of one verdict of a Swap between so many lanes.
func SwapAlpha(lanes int) float64 { return stats.Split(Level, len(Swapped), lanes) }

// NeedsBlocks returns the number of blocks a lane without which no verdict between so many
// lanes can come: 5 with two lanes, 7 with six.
func NeedsBlocks(lanes int) int { return stats.PermutationNeeds(SwapAlpha(lanes)) }

// Sum fills in the values of the block, its failures and their fault.
func (b *Block) Sum() {
	b.Failed = 0
	for i := range b.Results {
		if r := &b.Results[i]; r.Failed() {
			b.Failed++
			b.Fault = r.Fault
		}
	}
	for _, f := range Swapped {
		b.Values[f] = b.value(f)
	}
}

// value returns the geometric mean of a figure.
func (b *Block) value(f figure.ID) metrics.Value {
	n, sum, why := 0, 0.0, metrics.WhyNoneEnded
	for i := range b.Results {
		switch v := b.Results[i].Values[f]; {
		case b.Results[i].Failed():
		case v.OK && v.V > 0:
			n++
			sum += math.Log(v.V)
		default:
			why = v.Why
		}
	}
	if 2*n <= len(b.Results) {
		return metrics.Unknown(why)
	}
	return metrics.Known(math.Exp(sum/float64(n)), n)
}

// Verdicts returns what the blocks so far say of each of Swapped and each pair of lanes.
// Nothing is settled before all blocks are there: their number was fixed before, and the
// level holds for it alone. ended: no further block comes.
func (s *Swap) Verdicts(blocks []Block, lanes int, band float64, ended bool) (all []Verdict) {
	whole := len(blocks) == s.All(lanes)
	for _, f := range Swapped {
		for a := range lanes {
			for b := a + 1; b < lanes; b++ {
				all = append(all, s.verdict(blocks, f, a, b, SwapAlpha(lanes), band, whole, ended))
			}
		}
	}
	return all
}

// verdict is one of Verdicts.
func (s *Swap) verdict(blocks []Block, f figure.ID, a, b int, alpha, band float64, whole, ended bool) Verdict {
	first, second := laneOf(blocks, a, f), laneOf(blocks, b, f)
	v := Verdict{Figure: f, A: a, B: b, Leader: -1, State: Open, Standing: stats.Standing{
		N: len(first.logs) + len(second.logs), Left: first.left + second.left, Needs: s.All(2),
		Hi: math.Inf(1), Lag1: math.NaN(), OrderShare: math.NaN(),
	}}
	shift := second.mean() - first.mean()
	v.Counted, v.Ratio = v.N, math.Exp(shift)
	switch {
	case shift > 0:
		v.Leader = a
	case shift < 0:
		v.Leader = b
	}
	if !whole {
		if ended {
			v.State = Undecided
		}
		return v
	}
	leader := &first
	if v.Leader == b {
		leader = &second
	}
	switch {
	case first.atOnce || second.atOnce, f == figure.TPOT && leader.held && math.Abs(shift) >= math.Log(outpaced):
		v.State, v.Leader = AtOnce, -1
		return v
	case math.IsNaN(shift):
		v.State = Missing
		return v
	}
	lo, hi, p := stats.Permutation(first.logs, second.logs, alpha)
	v.Lo, v.Hi, v.P = math.Exp(lo), math.Exp(hi), p
	switch {
	case v.Lo >= 1/band && v.Hi <= band:
		v.State, v.Equal = Equal, true
	case p > alpha:
		v.State = Undecided
	default:
		v.State, v.Faster = Decided, 1
		if v.Leader == b {
			v.Faster = -1
		}
	}
	return v
}

// blocksOf are the blocks of a lane by one figure.
type blocksOf struct {
	logs []float64 // of those that have it
	left int       // those that have not
	// atOnce: answers came at once too often. held: most may have been held back.
	atOnce, held bool
}

// mean returns that of the logarithms, NaN without any.
func (b *blocksOf) mean() float64 {
	sum := 0.0
	for _, l := range b.logs {
		sum += l
	}
	return sum / float64(len(b.logs))
}

// laneOf returns the blocks of a lane.
func laneOf(blocks []Block, lane int, f figure.ID) (out blocksOf) {
	all, atOnce, held := 0, 0, 0
	for i := range blocks {
		b := &blocks[i]
		if b.Lane != lane {
			continue
		}
		if v := b.Values[f]; v.OK {
			out.logs = append(out.logs, math.Log(v.V))
		} else {
			out.left++
		}
		for j := range b.Results {
			all++
			if r := &b.Results[j]; r.Values[f].Why == metrics.WhyAtOnce {
				atOnce++
			} else if r.MayBeHeld {
				held++
			}
		}
	}
	out.atOnce = atOnce > 1 && float64(atOnce) >= metrics.AtOnceShare*float64(all)
	out.held = 2*(atOnce+held) > all
	return out
}
