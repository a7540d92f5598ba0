package racestat

import (
	"math"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/pick"
	"tokscope/metrics/stats"
)

// Defaults of a race.
const (
	// Level is the probability that any verdict of a race is ever wrong, of those
	// whose Scope is Lasting; of all if neighboring rounds are independent.
	Level = 0.05
	// Band is the region of practical equivalence: ratios between 1/Band and
	// Band are not worth naming.
	Band = 1.03
)

// State is what a verdict has come to. Its values are those of the JSON.
type State string

const (
	// TooEarly: so few pairs cannot settle anything.
	TooEarly State = "too_early"
	// Open: neither a winner nor equality is settled, and either may be within
	// the bound.
	Open State = "open"
	// Remote: not settled, and at the present rate not within the bound.
	Remote State = "remote"
	// Undecided: the race ended before it was settled.
	Undecided State = "undecided"
	// Decided: the lane Leader has the lower figure, whenever one stops. See Scope.
	Decided State = "decided"
	// Equal: the ratio lies within the band, whenever one stops. See Scope.
	Equal State = "equal"
	// Missing: no pair has the figure in both lanes.
	Missing State = "missing"
	// AtOnce: the answers of a lane came all at once too often to say anything of its
	// pace. Of figures of the pace alone.
	AtOnce State = "at_once"
	// None: no request failed in only one of the lanes. Of Failures alone.
	None State = "none"
)

// Settled reports whether further pairs change nothing that matters.
func (s State) Settled() bool {
	return s == Decided || s == Equal || s == Missing || s == AtOnce || s == None
}

// Verdict is what the pairs of two lanes say of one figure.
type Verdict struct {
	Figure figure.ID
	// A and B are lanes, A < B. A ratio is that of B over A.
	A     int   `json:"a"`
	B     int   `json:"b"`
	State State `json:"state"`
	// Leader is the lane that is ahead: with the lower figure in more pairs, or
	// with fewer failures. -1 for neither.
	Leader int `json:"leader" form:"null=neg"`
	// Standing has the numbers. For Failures, Wins and Losses are the rounds in
	// which only B, only A failed, and its ratio is unknown.
	stats.Standing
	// P is the two-sided p-value of stats.Permutation between the blocks of a Swap, once all
	// are there; else 0.
	P float64 `json:"p,omitempty"`
	// BandOffered reports that equality is within reach of the bound, or reached.
	BandOffered bool `json:"band_offered"`
	// Forecast is about how many more pairs settle it, a winner or equality; 0: it
	// is settled, or not within the bound.
	Forecast int `json:"more_pairs" form:"null=zero"`
}

// Scope says for which time a verdict holds. Its values are those of the JSON.
type Scope string

const (
	// Lasting: also beyond the rounds of the race, if the lanes go on as they did.
	Lasting Scope = ""
	// FewRounds: for these rounds. They are too few to tell how alike neighbors are.
	FewRounds Scope = "few_rounds"
	// AlikeRounds: for these rounds. Neighbors are so alike that a slow wave of a
	// lane can have decided them.
	AlikeRounds Scope = "alike_rounds"
)

// Scope returns for which time v holds. Failures come in runs, which no number of
// rounds of a race tells: what they say is of these rounds.
func (v *Verdict) Scope() Scope {
	switch {
	case v.P > 0: // the order of the blocks was drawn: a drift of the server is in the level
		return Lasting
	case v.N < v.Few() || math.IsNaN(v.Lag1):
		return FewRounds
	case v.Lag1 > stats.MaxLag1:
		return AlikeRounds
	}
	return Lasting
}

// Factor returns how many times as long as that of Leader the figure of the other lane is,
// with its interval, of which high is +Inf while it is not bounded. ok is false without a
// leader, for Failures, and where most pairs are won because the other lane failed.
func (v *Verdict) Factor() (factor, low, high float64, ok bool) {
	factor, low, high = v.Ratio, v.Lo, v.Hi
	if v.Leader == v.B {
		factor, low, high = 1/factor, 1/high, 1/low
	}
	ok = v.Leader >= 0 && factor > 0 && !math.IsInf(factor, 1) && v.Figure != figure.Failures
	return factor, low, high, ok
}

// Worth reports whether v is decided, and by more than the band: of times the whole interval
// is worth naming.
func (v *Verdict) Worth(band float64) bool {
	_, low, _, _ := v.Factor()
	return v.State == Decided && (v.Figure == figure.Failures || low > band)
}

// Foreseen returns Forecast where it is at most as many pairs as it is made from, else 0.
// Such a one is right within a factor of two in 8 of 9, over differences up to a factor of e
// and spreads from 1 to 50 %; of all forecasts that is 3 of 4. TestForecast simulates it.
func (v *Verdict) Foreseen() int {
	if v.Forecast > v.N {
		return 0
	}
	return v.Forecast
}

// Few is the number of pairs below which v is of these rounds. With more lanes each
// verdict has a smaller level, and a drift must be known better: 45 with two lanes,
// 60 with six.
func (v *Verdict) Few() int { return max(stats.FewPairs, 4*v.Needs) }

// Board holds all pairs of a race. It is not safe for concurrent use.
type Board struct {
	lanes int
	most  int // pairs at which the race ends; 0: none
	alpha float64
	band  float64
	ended bool
	pairs [len(Figures)][]stats.Pairs // by Figures and pair of lanes
	// atOnce counts the rounds in which an answer of either lane came at once.
	atOnce [len(Figures)][]int
}

// outpaced: an answer that may have been held back counts as one that came at once
// where the other lane took that many times as long a token, or longer.
const outpaced = 1.5

// NewBoard returns the board of a race between 2 or more lanes at level, which is
// split over all verdicts. band is that of stats.Pairs.Standing. most is the bound
// of pairs, 0 for none.
func NewBoard(lanes int, level, band float64, most int) *Board {
	b := &Board{lanes: lanes, most: most, band: band, alpha: stats.Split(level, len(Figures), lanes)}
	for k := range b.pairs {
		b.pairs[k] = make([]stats.Pairs, lanes*(lanes-1)/2)
		b.atOnce[k] = make([]int, lanes*(lanes-1)/2)
	}
	return b
}

// NeedsPairs returns the number of pairs below which no verdict of a race of so many lanes at
// Level can be settled.
func NeedsPairs(lanes int) int {
	return stats.QuantileNeeds(0.5, stats.Split(Level, len(Figures), max(lanes, MinLanes)))
}

// Alpha returns the level of one verdict.
func (b *Board) Alpha() float64 { return b.alpha }

// Add adds a round; a dropped one adds nothing.
//
// A failure counts as infinite for Total against the other lane's success. If
// both failed there is no pair. The other times take only pairs in which both
// lanes have the figure. For Failures a pair is a round in which exactly one
// failed.
func (b *Board) Add(r *Round) {
	if r.Dropped {
		return
	}
	eachPair(b.lanes, func(i, a, c int) {
		x, y := &r.Results[a], &r.Results[c]
		before := slices.Index(r.Order, a) < slices.Index(r.Order, c)
		sudden := x.outpaces(y) || y.outpaces(x)
		for k, f := range Times {
			b.pairs[k][i].Add(value(x, f), value(y, f), before)
			pace := f == figure.TPOT || f == figure.Longest
			if pace && sudden || x.Values[f].Why == metrics.WhyAtOnce || y.Values[f].Why == metrics.WhyAtOnce {
				b.atOnce[k][i]++
			}
		}
		if x.Failed() != y.Failed() {
			b.pairs[len(Times)][i].Add(failing(x), failing(y), before)
		}
	})
}

// eachPair calls f with every pair of lanes and its index.
func eachPair(lanes int, f func(i, first, second int)) {
	i := 0
	for first := range lanes {
		for second := first + 1; second < lanes; second++ {
			f(i, first, second)
			i++
		}
	}
}

// value returns a time for stats.Pairs: NaN without one, +Inf for the total of
// a failure.
func value(r *Result, f figure.ID) float64 {
	switch {
	case r.Failed() && f == figure.Total:
		return math.Inf(1)
	case r.Failed():
		return math.NaN()
	}
	return r.Values[f].OrNaN()
}

// failing turns a failure into a value that loses against a success.
func failing(r *Result) float64 {
	if r.Failed() {
		return 2
	}
	return 1
}

// End makes what is not settled Undecided.
func (b *Board) End() { b.ended = true }

// Verdicts returns those of all figures, by figure and pair of lanes.
func (b *Board) Verdicts() []Verdict {
	var all []Verdict
	for k, f := range Figures {
		band := b.band
		if f == figure.Failures {
			band = 0 // they have none
		}
		eachPair(b.lanes, func(i, first, second int) {
			v := Verdict{Figure: f, A: first, B: second, Leader: -1, Standing: b.pairs[k][i].Standing(b.alpha, band)}
			b.judge(&v)
			if n := b.atOnce[k][i]; n > 1 && float64(n) >= metrics.AtOnceShare*float64(v.N+v.Left) {
				v.State, v.Leader, v.Forecast = AtOnce, -1, 0
			}
			all = append(all, v)
		})
	}
	return all
}

// judge fills in what depends on the bound.
func (b *Board) judge(v *Verdict) {
	if v.Figure == figure.Failures { // the values stand for no time
		v.Ratio, v.Lo, v.Hi, v.Lag1 = math.NaN(), 0, math.Inf(1), math.NaN()
	}
	switch {
	case v.Wins > v.Losses:
		v.Leader = v.A
	case v.Losses > v.Wins:
		v.Leader = v.B
	}
	within := func(more int) bool { return more > 0 && (b.most == 0 || v.N+v.Left+more <= b.most) }
	v.BandOffered = v.Equal || within(v.MoreEqual)
	for _, more := range []int{v.More, v.MoreEqual} {
		if within(more) && (v.Forecast == 0 || more < v.Forecast) {
			v.Forecast = more
		}
	}
	switch {
	case v.Equal:
		v.State = Equal
	case v.Faster != 0:
		v.State = Decided
	case v.Figure == figure.Failures && v.N == 0:
		v.State = None
	case v.Figure == figure.Failures && !b.ended:
		v.State, v.Forecast = Open, 0 // how many will fail is no matter of pairs
	case v.N == 0 && (v.Left >= v.Needs || b.ended && v.Left > 0):
		v.State = Missing
	case b.ended:
		v.State, v.Forecast = Undecided, 0
	case v.N < v.Needs:
		v.State = TooEarly
	case v.Forecast > 0:
		v.State = Open
	default:
		v.State = Remote
	}
}

// Settled reports whether more rounds would change little: of every pair of lanes each timed
// figure is settled, or Remote where the first one that can show a difference, the headline, has
// a winner. Every verdict holds whenever one stops, so
// that this rule costs no level: TestSettled simulates it.
//
// Failures alone do not keep a race going: between lanes that do not fail they are never
// settled.
func Settled(all []Verdict) bool {
	for i := range all {
		v := &all[i]
		if v.Figure == figure.Failures || v.State.Settled() {
			continue
		}
		headline := pick.First(all, func(w *Verdict) bool {
			return w.A == v.A && w.B == v.B && w.State != Equal && w.State != Missing && w.State != AtOnce
		})
		if headline.State != Decided || v.State != Remote {
			return false
		}
	}
	return len(all) > 0
}
