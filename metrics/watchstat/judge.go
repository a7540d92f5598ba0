package watchstat

import (
	"math"
	"slices"

	"tokscope/metrics/condition"
	"tokscope/metrics/figure"
	"tokscope/metrics/history"
	"tokscope/metrics/stats"
)

// judged bounds the sample of a Judge, in probes: at it, the sample begins anew.
const judged = 5000

// Judge holds conditions against a watched target. Its intervals hold whenever one
// looks: it looks after each probe. Level is the probability that any of them is
// ever wrong, however long the watch runs.
//
// The sample begins with the first probe after the baseline, and anew when an
// incident is over. A second one begins when an incident was found, so that a long
// time before it dilutes nothing; both share the level. Of its part the k-th sample
// has 1/(k(k+1)), which adds up to 1.
type Judge struct {
	conditions []condition.Condition
	alpha      float64           // of one condition over all samples of a kind
	most       int               // probes of a sample
	base       []history.Figures // of the baseline
	sums       [2]sample         // all, and since the incident was found
}

// sample is what the conditions are judged on.
type sample struct {
	figures   []history.Figures
	n, failed int
	before    int // samples of its kind that had a probe
}

// part returns which part of the level of its kind the sample has.
func (s *sample) part() float64 { return 1 / float64((s.before+1)*(s.before+2)) }

func (s *sample) add(e *history.Entry) {
	if s.n++; e.Failed > 0 {
		s.failed++
		return
	}
	s.figures = append(s.figures, e.Figures)
}

// Judgment is the outcome of one condition.
type Judgment struct {
	Condition condition.Condition `json:"condition"`
	Outcome   condition.Outcome   `json:"outcome"`
	// Value lies in Low to High, in the unit of the condition. The interval holds at
	// every look, at 95 % over all conditions and targets. NaN where nothing is known.
	Value float64 `json:"value" form:"null=nan"`
	Low   float64 `json:"low" form:"null=nan"`
	High  float64 `json:"high" form:"null=nan"`
	N     int     `json:"probes"`
}

// Judging lets the watch hold conditions against its target, as one of so many
// targets. It comes before the first Add.
func (w *Watch) Judging(conditions []condition.Condition, targets int, level float64) {
	if len(conditions) == 0 {
		return
	}
	// Two samples, and two ends of a ratio.
	alpha := level / float64(4*len(conditions)*max(targets, 1))
	w.judge = &Judge{conditions: conditions, alpha: alpha, most: judged}
}

func (j *Judge) reset(n int) {
	if s := &j.sums[n]; s.n > 0 {
		*s = sample{before: s.before + 1}
	}
}

// add adds a probe that the watch has followed.
func (j *Judge) add(e *history.Entry, event Event, state State) {
	switch event {
	case Ended:
		j.reset(0)
		j.reset(1)
	case Began:
		j.reset(1)
		j.sums[0].add(e)
		return // found by this probe: it would be drawn for being slow
	}
	for n := range j.sums {
		if n == 1 && state != Changed {
			continue
		}
		if j.sums[n].n >= j.most {
			j.reset(n)
		}
		j.sums[n].add(e)
	}
}

// Judgments returns the outcome of each condition: that of the sample in which it is
// met, else that of all probes.
func (w *Watch) Judgments() []Judgment {
	if w.judge == nil {
		return nil
	}
	var out []Judgment
	for i := range w.judge.conditions {
		c := &w.judge.conditions[i]
		all, since := w.judgment(c, &w.judge.sums[0]), w.judgment(c, &w.judge.sums[1])
		if since.Outcome == condition.Met {
			all = since
		}
		out = append(out, all)
	}
	return out
}

// judgment holds c against a sample.
func (w *Watch) judgment(c *condition.Condition, s *sample) Judgment {
	nan := math.NaN()
	j := Judgment{Condition: *c, Outcome: condition.Unknown, Value: nan, Low: nan, High: nan, N: s.n}
	if w.v.State == Learning || s.n == 0 {
		return j
	}
	alpha := w.judge.alpha * s.part()
	if c.Figure == figure.Failures {
		j.Value = float64(s.failed) / float64(s.n)
		j.Low, j.High = stats.ProbabilityInterval(s.failed, s.n, alpha)
	} else {
		now := known(s.figures, c.Figure)
		j.N = len(now)
		j.Value, j.Low, j.High = quantile(now, c.Quantile, alpha)
		if c.Unit == condition.Ratio {
			value, low, high := quantile(known(w.judge.base, c.Figure), c.Quantile, alpha)
			j.Value = j.Value / value
			j.Low, j.High = stats.RatioInterval(j.Low, j.High, low, high)
		}
	}
	if j.Outcome = c.Judge(j.Low, j.High); j.Outcome == condition.Unknown {
		j.Value, j.Low, j.High = nan, nan, nan
	}
	return j
}

// quantile returns a quantile with its interval at level alpha.
func quantile(ascending []float64, q, alpha float64) (value, low, high float64) {
	if len(ascending) == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	low, high = stats.QuantileInterval(ascending, q, alpha)
	return stats.Quantile(ascending, q), low, high
}

// known returns the known values of a figure, ascending.
func known(figures []history.Figures, f history.Figure) []float64 {
	var out []float64
	for i := range figures {
		if v := figures[i][f]; v.OK {
			out = append(out, v.V)
		}
	}
	slices.Sort(out)
	return out
}
