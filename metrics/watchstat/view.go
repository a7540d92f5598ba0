package watchstat

import (
	"math"
	"slices"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/stats"
)

// Row compares one figure since the change, or since the baseline while nothing
// changed, with the baseline.
type Row struct {
	Figure  Figure `json:"figure"`
	Watched bool   `json:"watched"` // it has a limit; else the baseline has too few values of it
	Changed bool   `json:"changed"`
	// Base and Now are medians, of failures shares; N is the number of values. Times
	// are ms.
	Base metrics.Value `json:"baseline" form:"bare,n=n_baseline"`
	Now  metrics.Value `json:"now" form:"bare,n=n_now"`
	// Ratio is Now to Base by Hodges and Lehmann on logarithms, with its interval
	// at a level of 1 % split over the times. They are 0 where a time is 0, or
	// there are too few. Of a change, the probes that found and dated it lie higher
	// than those that follow: from fresh of those on they are left out, before it
	// there is no interval.
	Ratio     float64 `json:"ratio" form:"null=zero"`
	Low, High float64
	Limit     float64 // an exceedance lies above it; valid if Watched
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

// Change is an incident, or a rise that other days had.
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
	Rows      [Figures]Row // of an ended one: when it ended
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
	Last    history.Entry
	Past    []Point // ascending; those that do not count are left out. Read only
}

// View returns what is known.
func (w *Watch) View() View {
	v := w.v
	v.Past = slices.Clip(v.Past)
	if v.State == Learning {
		v.Good, v.Needs = good(w.learned), w.plan.Learn
	}
	now := span{since: v.To.Add(1)}
	if w.change != nil && w.change.Ended.IsZero() {
		now = w.change.span()
	}
	rounds := math.Inf(1)
	for f := range Figure(Figures) {
		s := &w.series[f]
		v.Rows[f] = w.row(f, now)
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
	if c := w.change; c != nil {
		d := c.Change
		d.Probes, d.Delay = v.Probes-c.probe+1, c.byProbe-c.probe+1
		if d.Ended.IsZero() { // else the figures of the incident itself are gone
			d.Rows = v.Rows
		}
		d.Head, d.Cause, d.Excess, d.Explained = explain(&d.Rows)
		v.Change = &d
	}
	return v
}

// level of the intervals of all times together.
const level = 0.01

// fresh is how many values after the probe that found a change say how large it is.
const fresh = 8

// row compares a figure in a span with the baseline.
func (w *Watch) row(f Figure, x span) Row {
	s := &w.series[f]
	r := Row{
		Figure: f, Watched: s.watched, Changed: s.raised, Limit: s.limit,
	}
	change := x.after > 0
	all := s.in(span{since: x.since, until: x.until})
	if f == Failures {
		r.Base, r.Now = metrics.Mean(s.base, metrics.WhyNoChunk), metrics.Mean(all, metrics.WhyNoChunk)
		return r
	}
	now := all
	if change {
		now = s.in(x)
	}
	chosen := change && len(now) < fresh // by what they are
	if chosen {
		now = all
	}
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
	r.Changed = r.Changed || change && x.until.IsZero() && lo > 0 && r.Now.V > r.Limit
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
	changed := func(f Figure) bool { return rows[f].Changed }
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
