package record

import (
	"cmp"
	"math"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
)

// SweepPoint is the JSON form of loadstat.Point: the state of a load over one
// window at a constant number of users, or at a constant rate.
type SweepPoint struct {
	Users  int      `json:"users"`            // in an open loop: requests under way, on average
	Asked  *float64 `json:"rate_asked_per_s"` // null in a closed loop
	From   *int64   `json:"from_ns"`          // of the window, since the origin of the run
	To     *int64   `json:"to_ns"`
	Steady bool     `json:"steady"`
	Why    string   `json:"why_not_steady,omitempty"`
	// NotSteady is the same reason for a program; absent for a steady point.
	NotSteady *NotSteady `json:"not_steady,omitempty"`
	Warmup    bool       `json:"warm_up"` // the window began before every user had its first chunk
	// Setup numbers the works of a load that was changed while it ran, in the order
	// of its marks, each once; absent for the first.
	Setup int `json:"setup,omitempty"`

	Speed   *float64 `json:"speed_tok_per_s"` // per user: mean over the requests of 1/TPOT
	SpeedP5 *float64 `json:"speed_p5_tok_per_s"`
	Total   *float64 `json:"throughput_tok_per_s"` // tokens received in the window / window
	Peak    *float64 `json:"peak_tok_per_s"`       // most tokens of a second of the window, all requests together
	// SpeedInterval and TotalInterval are the 95 % confidence intervals of speed
	// and throughput, from 20 batch means. Absent where the window allows none.
	SpeedInterval *Bound `json:"speed_interval_tok_per_s,omitempty"`
	TotalInterval *Bound `json:"throughput_interval_tok_per_s,omitempty"`
	TTFT          Dist   `json:"ttft_ms"`
	TPOT          Dist   `json:"tpot_ms"`
	Gaps          Dist   `json:"gap_ms"`
	// FromIntended is the time from the scheduled sending to the first chunk:
	// open loop only.
	FromIntended Dist `json:"ttft_from_schedule_ms"`
	// FromIntendedAtLeast are lower bounds of its percentiles over the requests that
	// still wait as well, where so many wait that they must be counted. Absent where
	// those that ended tell the percentiles.
	FromIntendedAtLeast *AtLeast `json:"ttft_from_schedule_at_least_ms,omitempty"`
	// scheduled requests that were due; absent in a closed loop
	Arrived *float64 `json:"arrivals_per_s,omitempty"`
	// mean number of those that waited for a free user; absent in a closed loop
	Backlog *float64 `json:"backlog,omitempty"`
	// Ramp is the load at the begin and the end of the window, where it changed
	// all the time; absent at a constant load.
	Ramp    *Ramp    `json:"ramp,omitempty"`
	Running *float64 `json:"running"` // mean number of requests under way, without those known to wait
	Prefill *float64 `json:"prefill"` // part of running without a first chunk
	// mean number known to wait in the server's queue; null when the server does not report it
	Waiting *float64 `json:"waiting"`

	Requests int            `json:"ended_well"`
	Failed   int            `json:"failed"`
	Retried  int            `json:"retried,omitempty"` // requests sent again on a new connection
	Faults   map[string]int `json:"faults,omitempty"`  // by kind
	// Outside is the part of failed and faults that failed outside the window of a
	// sweep's step, such as before it. All other figures are those of the window.
	Outside   map[string]int `json:"faults_outside_window,omitempty"`
	Rate      *float64       `json:"requests_per_s"` // requests that ended well
	GoodRate  *float64       `json:"goodput_req_per_s"`
	GoodShare *float64       `json:"goodput_share"`
	// GoodTokens is the throughput times the share of the tokens that came with
	// requests that met every objective.
	GoodTokens *float64 `json:"goodput_tok_per_s"`
	Judged     int      `json:"goodput_of"` // number of requests that goodput_share and misses count
	// JudgedFailed is how many of these requests failed. They are among the misses of
	// every objective.
	JudgedFailed int         `json:"goodput_failed,omitempty"`
	Misses       []SweepMiss `json:"misses"`
	Tokens       *float64    `json:"output_tokens"`
	Estimated    bool        `json:"output_tokens_estimated"`
	// who took those of the window: "kernel", "user", "body", "mixed"; absent without any
	Stamps string `json:"stamps,omitempty"`
	Delay  *Delay `json:"delay,omitempty"` // absent where tokscope's lag does not show in the figures

	Fit      *SweepFit         `json:"ttft_fit,omitempty"` // absent when prompts do not vary in length
	GapBins  *Bins             `json:"gap_bins,omitempty"`
	TTFTBins *Bins             `json:"ttft_bins,omitempty"`
	Unknown  map[string]string `json:"unknown,omitempty"`
}

// Ramp is the JSON form of loadstat.Ramp: users, or requests per second in an
// open loop.
type Ramp struct {
	From *float64 `json:"from"`
	To   *float64 `json:"to"`
}

// AtLeast is the JSON form of metrics.AtLeast. Absent percentiles have no bound.
type AtLeast struct {
	P50 *LowBound `json:"p50,omitempty"`
	P90 *LowBound `json:"p90,omitempty"`
	P95 *LowBound `json:"p95,omitempty"`
	P99 *LowBound `json:"p99,omitempty"`
}

// LowBound is a lower bound of a percentile.
type LowBound struct {
	Low float64 `json:"low"`
	N   int     `json:"n"` // requests, those that still wait too
}

// pairs pairs the bounds of a with their JSON fields.
func (a *AtLeast) pairs(v *metrics.AtLeast) [4]struct {
	v  *metrics.Value
	to **LowBound
} {
	return [...]struct {
		v  *metrics.Value
		to **LowBound
	}{{&v.P50, &a.P50}, {&v.P90, &a.P90}, {&v.P95, &a.P95}, {&v.P99, &a.P99}}
}

// atLeastOf returns the JSON form of v, nil without a bound.
func atLeastOf(v metrics.AtLeast) *AtLeast {
	var out *AtLeast
	var a AtLeast
	for _, x := range a.pairs(&v) {
		if low := value(*x.v); low != nil {
			*x.to, out = &LowBound{*low, x.v.N}, &a
		}
	}
	return out
}

// atLeast returns the bounds from which a was made.
func (a *AtLeast) atLeast() (v metrics.AtLeast) {
	if a == nil {
		return v
	}
	for _, x := range a.pairs(&v) {
		if b := *x.to; b != nil {
			*x.v = metrics.Finite(b.Low, b.N)
		}
	}
	return v
}

// NotSteady is the JSON form of loadstat.Unsteady. What n and of count depends
// on the reason.
type NotSteady struct {
	Reason string   `json:"reason"`
	N      *float64 `json:"n"`
	Of     *float64 `json:"of"`
}

// notSteadyOf returns the JSON form of u, nil for a steady window.
func notSteadyOf(u loadstat.Unsteady) *NotSteady {
	if u.Code == "" {
		return nil
	}
	return &NotSteady{string(u.Code), finite(u.N), finite(u.Of)}
}

// unsteady returns the reason from which n was made.
func (n *NotSteady) unsteady() loadstat.Unsteady {
	if n == nil {
		return loadstat.Unsteady{}
	}
	u := loadstat.Unsteady{Code: loadstat.UnsteadyCode(n.Reason)}
	if n.N != nil {
		u.N = *n.N
	}
	if n.Of != nil {
		u.Of = *n.Of
	}
	return u
}

// SweepMiss is the number of requests that missed one objective.
type SweepMiss struct {
	SLO string `json:"slo"`
	N   int    `json:"n"`
}

// Bins is a histogram: counts[i] holds the values from low·10^(i/per_decade) on.
type Bins struct {
	PerDecade int     `json:"per_decade"`
	Low       float64 `json:"low"`
	Counts    []int   `json:"counts"`
	Below     int     `json:"under"`
	Above     int     `json:"over"`
	N         int     `json:"n"`
}

// values pairs the single figures of a point with their JSON fields.
func (s *SweepPoint) values(p *loadstat.Point) []struct {
	name string
	v    *metrics.Value
	to   **float64
} {
	return []struct {
		name string
		v    *metrics.Value
		to   **float64
	}{
		{"speed_tok_per_s", &p.Speed, &s.Speed}, {"speed_p5_tok_per_s", &p.SpeedP5, &s.SpeedP5},
		{"throughput_tok_per_s", &p.Total, &s.Total}, {"peak_tok_per_s", &p.Peak, &s.Peak},
		{"goodput_tok_per_s", &p.GoodTokens, &s.GoodTokens},
		{"running", &p.Running, &s.Running}, {"prefill", &p.Prefill, &s.Prefill}, {"waiting", &p.Waiting, &s.Waiting},
		{"requests_per_s", &p.Rate, &s.Rate}, {"goodput_req_per_s", &p.GoodRate, &s.GoodRate},
		{"goodput_share", &p.GoodShare, &s.GoodShare},
	}
}

// intervals pairs the intervals of a point with their JSON fields.
func (s *SweepPoint) intervals(p *loadstat.Point) []struct {
	name string
	v    *loadstat.Interval
	to   **Bound
} {
	return []struct {
		name string
		v    *loadstat.Interval
		to   **Bound
	}{{"speed_interval_tok_per_s", &p.SpeedInterval, &s.SpeedInterval},
		{"throughput_interval_tok_per_s", &p.TotalInterval, &s.TotalInterval}}
}

// intervalOf returns the JSON form of i, nil for an unknown one.
func intervalOf(i loadstat.Interval) *Bound {
	low, high := value(i.Low), value(i.High)
	if low == nil || high == nil {
		return nil
	}
	return &Bound{*low, *high}
}

// SweepPointOf returns the JSON form of p.
func SweepPointOf(p *loadstat.Point, say Sentences) SweepPoint {
	s := SweepPoint{
		Users: p.Users, From: stampOf(p.From), To: stampOf(p.To), Steady: p.Steady,
		Why: say.unsteady(p.Why), NotSteady: notSteadyOf(p.Why), Warmup: p.Warmup, Setup: p.Setup,
		TTFT: distOf(p.TTFT, say), TPOT: distOf(p.TPOT, say), Gaps: distOf(p.Gaps, say),
		FromIntended: distOf(p.FromIntended, say), FromIntendedAtLeast: atLeastOf(p.FromIntendedAtLeast),
		Requests: p.Requests, Retried: p.Retried, Judged: p.GoodShare.N, JudgedFailed: p.JudgedFailed,
		Misses: []SweepMiss{}, Tokens: finite(p.Tokens), Estimated: p.Estimated,
		Stamps: p.Stamps, Delay: delayOf(p.Delay, say),
		Fit: sweepFitOf(p.Fit, say), GapBins: binsOf(p.GapBins), TTFTBins: binsOf(p.TTFTBins),
	}
	if p.Asked > 0 {
		s.Asked, s.Arrived, s.Backlog = finite(p.Asked), value(p.Arrived), value(p.Backlog)
	}
	if r := p.Ramp; r != nil {
		s.Ramp = &Ramp{finite(r.From), finite(r.To)}
	}
	unknown := func(name string, why metrics.Why) {
		if s.Unknown == nil {
			s.Unknown = map[string]string{}
		}
		s.Unknown[name] = say.why(why)
	}
	for _, x := range s.values(p) {
		if *x.to = value(*x.v); *x.to == nil {
			unknown(x.name, x.v.Why)
		}
	}
	for _, x := range s.intervals(p) {
		if *x.to = intervalOf(*x.v); *x.to == nil {
			unknown(x.name, x.v.Low.Why)
		}
	}
	all, faults := p.Failures()
	s.Failed, s.Faults, s.Outside = all, byKind(faults), byKind(p.Outside)
	for _, m := range p.Misses {
		s.Misses = append(s.Misses, SweepMiss{m.SLO.String(), m.N})
	}
	return s
}

// byKind returns the JSON form of counts, nil without any.
func byKind(counts []metrics.FaultCount) (out map[string]int) {
	for _, f := range counts {
		if out == nil {
			out = map[string]int{}
		}
		out[string(f.Kind)] += f.N
	}
	return out
}

// Point returns the point from which s was made. It fills in what JSON does
// not carry: the N of single figures is the number of requests.
func (s *SweepPoint) Point(say Sentences) (loadstat.Point, error) {
	p := loadstat.Point{
		Users: s.Users, From: stampFrom(s.From), To: stampFrom(s.To),
		Steady: s.Steady, Why: s.NotSteady.unsteady(), Warmup: s.Warmup, Setup: s.Setup,
		TTFT: s.TTFT.dist(), TPOT: s.TPOT.dist(), Gaps: s.Gaps.dist(),
		FromIntended: s.FromIntended.dist(), FromIntendedAtLeast: s.FromIntendedAtLeast.atLeast(),
		Requests: s.Requests, Failed: s.Failed, Retried: s.Retried, Estimated: s.Estimated, Stamps: s.Stamps,
		Delay: s.Delay.delay(), Fit: s.Fit.fit(say), GapBins: s.GapBins.histogram(), TTFTBins: s.TTFTBins.histogram(),
	}
	if s.Asked != nil {
		p.Asked = *s.Asked
		p.Arrived, p.Backlog = metrics.Unknown(metrics.WhyJustBegun), metrics.Unknown(metrics.WhyJustBegun)
	}
	if seconds := float64(p.To-p.From) / 1e9; s.Arrived != nil {
		p.Arrived = metrics.Known(*s.Arrived, int(math.Round(*s.Arrived*seconds)))
	}
	if s.Backlog != nil {
		p.Backlog = metrics.Known(*s.Backlog, 0)
	}
	if r := s.Ramp; r != nil && r.From != nil && r.To != nil {
		p.Ramp = &loadstat.Ramp{From: *r.From, To: *r.To}
	}
	if s.Tokens != nil {
		p.Tokens = *s.Tokens
	}
	for _, x := range s.values(&p) {
		*x.v = metrics.Unknown(cmp.Or(say.parseWhy(s.Unknown[x.name]), metrics.WhyNotRecorded))
		if *x.to != nil {
			*x.v = metrics.Known(**x.to, s.Requests)
		}
	}
	for _, x := range s.intervals(&p) {
		*x.v = loadstat.NoInterval(cmp.Or(say.parseWhy(s.Unknown[x.name]), metrics.WhyNotRecorded))
		if b := *x.to; b != nil {
			*x.v = loadstat.Interval{Low: metrics.Known(b.Low, loadstat.Batches), High: metrics.Known(b.High, loadstat.Batches)}
		}
	}
	p.GoodShare.N, p.JudgedFailed = s.Judged, s.JudgedFailed
	for kind, n := range s.Faults {
		outside := min(max(s.Outside[kind], 0), max(n, 0))
		p.Failed -= min(outside, max(p.Failed, 0))
		for _, x := range []struct {
			n  int
			to *[]metrics.FaultCount
		}{{n - outside, &p.Faults}, {outside, &p.Outside}} {
			if x.n > 0 {
				*x.to = metrics.AddFaults(*x.to, metrics.FaultCount{Kind: metrics.FaultKind(kind), N: x.n})
			}
		}
	}
	for _, m := range s.Misses {
		slos, err := slo.Parse(m.SLO)
		if err != nil {
			return p, err
		}
		for _, o := range slos {
			p.Misses = append(p.Misses, loadstat.Miss{SLO: o, N: m.N})
		}
	}
	return p, nil
}

func stampOf(s metrics.Stamp) *int64 {
	if !s.Known() {
		return nil
	}
	n := int64(s)
	return &n
}

func stampFrom(n *int64) metrics.Stamp {
	if n == nil {
		return metrics.NoStamp
	}
	return metrics.Stamp(*n)
}

// dist returns the distribution from which d was made.
func (d *Dist) dist() metrics.Dist {
	back := func(v *float64, least int) metrics.Value {
		switch {
		case v != nil:
			return metrics.Known(*v, d.N)
		case d.N == 0:
			return metrics.Unknown(metrics.WhyNoValues)
		}
		return metrics.Unknown(metrics.Needs(least))
	}
	return metrics.Dist{
		N: d.N, Min: back(d.Min, 1), Mean: back(d.Mean, 1), StdDev: back(d.StdDev, 2), Max: back(d.Max, 1),
		P50: back(d.P50, metrics.MinP50), P90: back(d.P90, metrics.MinP90),
		P95: back(d.P95, metrics.MinP95), P99: back(d.P99, metrics.MinP99),
		Method: d.Method, Missing: d.Missing.missing(),
	}
}

func binsOf(h *metrics.Histogram) *Bins {
	if h == nil {
		return nil
	}
	return &Bins{h.PerDecade, h.Low, append([]int{}, h.Counts...), h.Below, h.Above, h.N}
}

func (b *Bins) histogram() *metrics.Histogram {
	if b == nil {
		return nil
	}
	return &metrics.Histogram{PerDecade: b.PerDecade, Low: b.Low, Counts: b.Counts, Below: b.Below, Above: b.Above, N: b.N}
}
