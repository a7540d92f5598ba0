package racestat

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/pick"
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
	MostBlocks    = 8 // more would be hours of restarts
	// DefaultRequests: their mean varies by less than half of what one request does, and
	// more of them tell nothing of how one start differs from the next.
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

// Leaves is how long the server before may take to end until a person is told that it is
// waited for.
const Leaves = 3 * time.Second

// Leaving reports whether the block under way waits for the server before it for Leaves or
// longer.
func (v *View) Leaving() bool {
	return v.Running && v.Step == Starting && v.Now-v.Block.Began >= Leaves
}

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
	// Fault is why the restart failed, where Ready is 0, or what it waited for when it was
	// stopped, or why the last failed request did.
	Fault *metrics.Fault `json:"fault,omitempty"`
}

// label is what a lane may be called: its label becomes part of a command.
var label = regexp.MustCompile(`^[A-Za-z0-9._=-]+$`)

// Check returns what is wrong with a Swap between lanes of these labels, in words.
func (s *Swap) Check(labels []string) error {
	lanes := len(labels)
	if lanes < MinLanes || lanes > MaxLanes {
		return fmt.Errorf("name %d to %d settings, such as off,on", MinLanes, MaxLanes)
	}
	for i, l := range labels {
		if !label.MatchString(l) || len(l) > 64 || slices.Contains(labels[:i], l) {
			return fmt.Errorf("the setting %q: give each a name of its own, of letters, digits and . _ = -", l)
		}
	}
	switch least := NeedsBlocks(lanes); {
	case !slices.ContainsFunc(s.Command, func(w string) bool { return strings.Contains(w, LaneWord) }):
		return errors.New("the command is the same for every setting: write " + LaneWord + " where its name belongs")
	case s.Blocks < least || s.Blocks > MostBlocks:
		why := "fewer cannot decide anything"
		if s.Blocks > MostBlocks {
			why = "more would be hours of restarts"
		}
		return fmt.Errorf("%d blocks a setting: %d settings take %d to %d; %s", s.Blocks, lanes, least, MostBlocks, why)
	case s.Requests < 1 || s.Requests > MostRequests:
		return fmt.Errorf("%d requests a block: it takes 1 to %d", s.Requests, MostRequests)
	}
	return nil
}

// SwapAlpha returns the level of one verdict of a Swap between so many lanes.
func SwapAlpha(lanes int) float64 { return stats.Split(Level, len(Swapped), lanes) }

// NeedsBlocks returns the number of blocks a lane below which no verdict between so many
// lanes can come: 5 with two lanes, 7 with six.
func NeedsBlocks(lanes int) int {
	return stats.MannWhitneyNeeds(SwapAlpha(lanes)) // whose p is as small as any of all divisions
}

// Sum fills in the values of a block, and its failures with their fault.
func (b *Block) Sum() {
	var why [figure.Kept]metrics.Why
	var times [figure.Kept][]float64
	for i := range b.Results {
		r := &b.Results[i]
		if r.Failed() {
			b.Failed++
			b.Fault = r.Fault
			continue
		}
		for _, f := range Swapped {
			if v := r.Values[f]; v.OK {
				times[f] = append(times[f], v.V)
			} else {
				why[f] = v.Why
			}
		}
	}
	for _, f := range Swapped {
		if b.Values[f] = geometric(times[f]); 2*len(times[f]) <= len(b.Results) {
			b.Values[f] = metrics.Unknown(cmp.Or(why[f], metrics.WhyNoneEnded))
		}
	}
}

// Verdicts returns what the blocks so far say of each of Swapped and each pair of lanes.
// Nothing is settled before all blocks are there: their number was fixed before, and the
// level holds for it alone. ended: no further block comes.
func (s *Swap) Verdicts(blocks []Block, lanes int, band float64, ended bool) (all []Verdict) {
	whole := len(blocks) == lanes*s.Blocks
	for _, f := range Swapped {
		eachPair(lanes, func(_, a, b int) {
			v := Verdict{Figure: f, A: a, B: b, State: Open}
			v.Needs = 2 * s.Blocks
			v.weigh(blocks, SwapAlpha(lanes), band, whole)
			if v.State == Open && (whole || ended) {
				v.State = Undecided
			}
			all = append(all, v)
		})
	}
	return all
}

// weigh compares the blocks of the lanes of v, and settles v if all are there.
func (v *Verdict) weigh(blocks []Block, alpha, band float64, whole bool) {
	var logs [2][]float64
	var held [2]int // blocks of which most answers may have been held back
	atOnce := false
	for i := range blocks {
		b, k := &blocks[i], slices.Index([]int{v.A, v.B}, blocks[i].Lane)
		switch x := b.Values[v.Figure]; {
		case k < 0:
		case x.OK:
			logs[k] = append(logs[k], math.Log(x.V))
			if 2*pick.Count(b.Results, func(r *Result) bool { return r.MayBeHeld }) > len(b.Results) {
				held[k]++
			}
		default:
			v.Left++
			atOnce = atOnce || x.Why == metrics.WhyAtOnce
		}
	}
	shift, lo, hi, p := stats.Permutation(logs[0], logs[1], alpha)
	v.N, v.Ratio = len(logs[0])+len(logs[1]), math.Exp(shift)
	v.Hi, v.Lag1, v.OrderShare, v.Counted, v.Leader = math.Inf(1), math.NaN(), math.NaN(), v.N, -1
	ahead := 0
	if shift > 0 {
		v.Leader = v.A
	} else if shift < 0 {
		v.Leader, ahead = v.B, 1
	}
	if !whole {
		return
	}
	sudden := 2*held[ahead] > len(logs[ahead]) && math.Abs(shift) >= math.Log(outpaced)
	if atOnce || v.Figure == figure.TPOT && sudden {
		v.State, v.Leader = AtOnce, -1
		return
	}
	switch v.Lo, v.Hi, v.P = math.Exp(lo), math.Exp(hi), p; {
	case math.IsNaN(shift):
		v.State = Missing
	case v.Lo >= 1/band && v.Hi <= band:
		v.State, v.Equal = Equal, true
	case p <= alpha:
		v.State, v.Faster = Decided, cmp.Compare(shift, 0)
	}
}

// Mean returns the geometric mean of a lane's blocks by one of Swapped, ms: the ratio of a
// verdict is that of two of them. It is unknown without a block.
func (v *View) Mean(f figure.ID, lane int) metrics.Value {
	var means []float64
	for i := range v.Blocks {
		if x := v.Blocks[i].Values[f]; v.Blocks[i].Lane == lane && x.OK {
			means = append(means, x.V)
		}
	}
	return geometric(means)
}

// geometric returns the geometric mean of values above 0, which is unknown without one.
func geometric(values []float64) metrics.Value {
	mean := metrics.Mean(stats.Logs(values), metrics.WhyNoneEnded)
	if mean.OK {
		mean.V = math.Exp(mean.V)
	}
	return mean
}
