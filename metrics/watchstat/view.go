package watchstat

import (
	"cmp"
	"math"
	"slices"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/pick"
	"tokscope/metrics/stats"
)

// Row compares one figure since the change or suspicion, or over the newest probes
// while nothing changed, with the baseline.
type Row struct {
	Figure    Figure `json:"figure"`
	Watched   bool   `json:"watched"` // it has a limit; else the baseline has too few values of it
	Changed   bool   `json:"changed"`
	Suspected bool   `json:"suspected"` // slower in the newest probes, and not certainly
	// Base and Now are medians, of failures shares; N is the number of values. Times
	// are ms.
	Base metrics.Value `json:"baseline" form:"bare,n=n_baseline"`
	Now  metrics.Value `json:"now" form:"bare,n=n_now"`
	// Ratio is Now to Base by Hodges and Lehmann on logarithms, with its interval
	// at a level of 1 % split over the times. They are 0 where a time is 0, or
	// there are too few. Of a change, the probes that found and dated it lie higher
	// than those that follow: from fresh of those on they are left out, before it
	// there is no interval.
	Ratio float64 `json:"ratio" form:"null=zero"`
	// Spread is that of the baseline.
	Spread Spread `json:"baseline_shape"`
	// Low and High are the interval of Ratio; none where it has none, and where too few
	// probes follow the one that found the change: then Ratio is about.
	Low  float64 `json:"ratio_low" form:"null=zero"`
	High float64 `json:"ratio_high" form:"null=zero"`
	// Limit is what an exceedance lies above: a probe that counts for a change. NaN where
	// the figure is not watched.
	Limit float64 `json:"limit" form:"null=nan"`
}

// Steady reports that the figure is known on both sides and did not change.
func (r *Row) Steady() bool { return r.Base.OK && r.Now.OK && !r.Changed }

// Cause is the phase that explains a change.
type Cause string

// The causes.
const (
	NoCause          Cause = ""
	CauseConnect     Cause = "connect"
	CauseQueue       Cause = "queue"       // in the server, by its own times
	CausePrefill     Cause = "prefill"     // the same
	CauseUnexplained Cause = "unexplained" // of the wait, what the server's times leave
	CauseWait        Cause = "wait"        // before the first token; the server reports no times
	CauseDecode      Cause = "decode"
	CauseStalls      Cause = "stalls"
	CauseTotal       Cause = "total" // of the answer: more tokens, or none of the above
	CauseFailures    Cause = "failures"
)

// Change is an incident, a rise that other days had, or a suspicion.
type Change struct {
	Since  time.Time `json:"since"`                  // the first probe of the change
	Found  time.Time `json:"found"`                  // the probe that found it
	Ended  time.Time `json:"ended" form:"null=zero"` // the first probe within the limits again; zero while it lasts
	Probes int       `json:"probes"`                 // since the change
	Delay  int       `json:"found_after_probes"`
	Head   Figure    `json:"figure"` // that tells most
	Cause  Cause     `json:"cause"`  // the phase that explains it
	// Excess is by how much Head exceeds its baseline: ms, of failures a share.
	Excess float64 `json:"excess"`
	// Explained is the part of it that Cause explains.
	Explained float64      `json:"explained"`
	Days      Days         `json:"" form:"inline"`
	Rows      [Figures]Row `json:"figures"` // of an ended one: when it ended
}

// View is what is known of a target. The watch does not change what it shares.
type View struct {
	State                   State
	Probes, Failed, Suspect int
	Good, Needs             int // of the baseline while it is learned
	// Baseline is its name, "" when the watch learned it. N counts its good probes.
	Baseline string    `json:"name,omitempty"`
	N        int       `json:"probes"`
	From     time.Time `json:"from"` // of the baseline, as To
	To       time.Time `json:"to"`
	// Between is the interval between false alarms of all targets together, in
	// nine baselines of ten; 0 while there is no baseline.
	Between time.Duration `json:"false_alarm_interval_s" form:"s"`
	Series  int           `json:"figures_watched"` // watched together
	Rows    [Figures]Row
	Change  *Change // the present or the last one; nil before any
	// Suspicion is what the state Suspected is about, else nil.
	Suspicion *Change
	Recent    Recent
	// Stored is how many good probes of the 24 h before the watch the history has; 0
	// once there is a baseline.
	Stored int
	Last   history.Entry
	Past   []Point // ascending; those that do not count are left out. Read only
}

// View returns what is known.
func (w *Watch) View() View {
	v := w.v
	v.Past = slices.Clip(v.Past)
	v.Recent = recentOf(w.newest)
	if v.State == Learning {
		v.Good, v.Needs, v.Stored = good(w.learned), w.plan.Learn, w.stored()
	}
	now := span{since: v.To.Add(1), newest: Newest}
	switch {
	case w.suspect != nil:
		now = span{since: w.suspect.Since}
	case w.change != nil && w.change.Ended.IsZero():
		now = w.change.span()
	}
	rounds := math.Inf(1)
	for f := range Figure(Figures) {
		s := &w.series[f]
		v.Rows[f] = w.row(f, now)
		v.Rows[f].Suspected = w.suspect != nil && s.early.raised
		if s.watched {
			rounds = min(rounds, s.design.Rounds)
		}
		if f == TTFT {
			v.N = len(s.base)
		}
	}
	if !math.IsInf(rounds, 1) {
		v.Between = time.Duration(rounds * float64(w.plan.Every))
	}
	v.Change, v.Suspicion = w.change.of(&v), w.suspect.of(&v)
	return v
}

// of returns what v says of the incident, nil for a nil one.
func (c *incident) of(v *View) *Change {
	if c == nil {
		return nil
	}
	d := c.Change
	d.Probes, d.Delay = v.Probes-c.probe+1, c.byProbe-c.probe+1
	if d.Ended.IsZero() { // else the figures of the incident itself are gone
		d.Rows = v.Rows
	}
	d.Head, d.Cause, d.Excess, d.Explained = explain(&d.Rows)
	return &d
}

// Worse reports whether v is more worth a sentence than o.
func (v *View) Worse(o *View) bool {
	return cmp.Or(cmp.Compare(v.State, o.State), cmp.Compare(v.Recent.Failed, o.Recent.Failed)) > 0
}

// Newest is how many probes are "now" while nothing changed, and recentProbes how many
// of the last ones, failed ones too, View.Recent is about.
const (
	Newest       = 10
	recentProbes = 25
)

// Recent are the ends of the newest probes.
type Recent struct {
	N, Failed int
	Faults    []metrics.FaultCount // most frequent first
}

// recentOf counts the ends of entries.
func recentOf(entries []history.Entry) (r Recent) {
	r.N = len(entries)
	for i := range entries {
		e := &entries[i]
		if e.Failed > 0 {
			r.Failed++
			r.Faults = metrics.AddFaults(r.Faults, metrics.FaultCount{Kind: e.Fault, Status: e.Status, N: 1})
		}
	}
	return r
}

// stored returns how many good probes of a day the history had when the watch began.
func (w *Watch) stored() int {
	n := len(w.v.Past) - len(w.learned)
	if n <= 0 {
		return 0
	}
	before := w.v.Past[:n]
	from := before[n-1].At.Add(-24 * time.Hour)
	if n < len(w.v.Past) {
		from = w.v.Past[n].At.Add(-24 * time.Hour)
	}
	return pick.Count(before, func(p *Point) bool { return !p.Failed && p.At.After(from) })
}

// level of the intervals of all times together.
const level = 0.01

// fresh is how many values after the probe that found a change say how large it is.
const fresh = 8

// row compares a figure in a span with the baseline.
func (w *Watch) row(f Figure, x span) Row {
	s := &w.series[f]
	r := Row{Figure: f, Watched: s.watched, Changed: s.raised, Limit: s.limit}
	if !s.watched {
		r.Limit = math.NaN()
	}
	change, now := x.after > 0, s.in(x)
	chosen := change && len(now) < fresh // by what they are
	x.after = 0
	if f == Failures {
		if x.newest > 0 {
			x.newest = recentProbes
		}
		r.Base, r.Now = metrics.Mean(s.base, metrics.WhyNoChunk), metrics.Mean(s.in(x), metrics.WhyNoChunk)
		return r
	}
	if chosen {
		now = s.in(x)
	}
	r.Spread = spreadOf(s.base)
	r.Base = metrics.Median(slices.Clone(s.base), metrics.WhyNoChunk)
	r.Now = metrics.Median(now, metrics.WhyNoChunk)
	if !r.Base.OK || !r.Now.OK || s.base[0] <= 0 || slices.Min(now) <= 0 {
		return r
	}
	ratio, lo, hi := stats.HodgesLehmann(stats.Logs(now), stats.Logs(s.base), level/Timed)
	r.Ratio = math.Exp(ratio)
	if math.IsInf(lo, -1) || math.IsInf(hi, 1) {
		return r
	}
	r.Changed = r.Changed || change && x.until.IsZero() && lo > 0 && r.Now.V > s.limit
	if !chosen {
		r.Low, r.High = math.Exp(lo), math.Exp(hi)
	}
	return r
}

// whole is the share of an excess from which on a phase explains all of it.
const whole = 0.9

// All reports whether Cause explains all of Head.
func (c *Change) All() bool { return c.Explained >= whole*c.Excess }

// explain returns the figure that tells most of a change, the phase behind it, and
// by how much. Of several that changed it is the one that costs most time: a slower
// decode makes others wait a little too.
func explain(rows *[Figures]Row) (head Figure, cause Cause, excess, explained float64) {
	rise := func(f Figure) float64 {
		if r := &rows[f]; r.Base.OK && r.Now.OK {
			return r.Now.V - r.Base.V
		}
		return 0
	}
	changed := func(f Figure) bool { return rows[f].Changed || rows[f].Suspected }
	head, cause = Total, CauseTotal
	most := math.Inf(-1)
	candidate := func(f Figure, c Cause, cost float64) {
		if cost > most {
			head, cause, most = f, c, cost
		}
	}
	if changed(TTFT) || changed(Queue) || changed(Prefill) {
		candidate(TTFT, CauseWait, rise(TTFT))
	}
	if changed(Connect) {
		candidate(Connect, CauseConnect, rise(Connect))
	}
	switch {
	case changed(TPOT):
		candidate(TPOT, CauseDecode, max(rise(TPOT), rise(Total)-rise(TTFT)))
	case changed(Stall):
		candidate(Stall, CauseStalls, rise(Stall))
	}
	if math.IsInf(most, -1) && !changed(Total) && changed(Failures) {
		head, cause = Failures, CauseFailures
	}
	excess = rise(head)
	explained = excess
	if head == TTFT && (rows[Queue].Now.OK || rows[Prefill].Now.OK) {
		cause, explained = ofWait(excess, rise(Queue), rise(Prefill))
	}
	return head, cause, excess, explained
}

// ofWait returns which part of the wait explains most of its excess, by the times
// of the server.
func ofWait(excess, queue, prefill float64) (cause Cause, explained float64) {
	cause, explained = CauseQueue, queue
	if prefill > explained {
		cause, explained = CausePrefill, prefill
	}
	if rest := excess - max(queue, 0) - max(prefill, 0); rest > explained {
		cause, explained = CauseUnexplained, rest
	}
	return cause, explained
}
