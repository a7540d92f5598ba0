package result

import (
	"reflect"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/condition"
	"tokscope/metrics/history"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
	"tokscope/metrics/slo"
	"tokscope/metrics/watchstat"
)

// ownForms are the forms of types that are more in JSON than their fields.
var ownForms map[reflect.Type]func() form

func init() { // not a literal: the forms read it
	ownForms = map[reflect.Type]func() form{
		reflect.TypeFor[[]metrics.FaultCount](): converted(countsByKind, countsOfKinds),
		reflect.TypeFor[loadstat.Interval]():    converted(boundOf, intervalOf),
		reflect.TypeFor[metrics.Delay]():        converted(delayForm, func(d Delay) metrics.Delay { return *d.Delay }),
		reflect.TypeFor[metrics.Suspicion]():    converted(suspicionForm, suspicionOf),
		reflect.TypeFor[metrics.Ending](): converted(
			func(e *metrics.Ending, say Sentences) string { return say.Ending(*e) },
			func(text string) metrics.Ending { return metrics.Ending{Code: metrics.EndingCode(text)} }),
		reflect.TypeFor[metrics.AtLeast](): converted(atLeastForm, AtLeast.of),
		reflect.TypeFor[loadstat.RowFigures](): converted(func(all *loadstat.RowFigures, _ Sentences) []metrics.Value {
			return pick.Each(*all, func(v *float64) metrics.Value { return metrics.Finite(*v, 1) })
		}, func(all []metrics.Value) loadstat.RowFigures { return pick.Each(all, (*metrics.Value).OrNaN) }),
		reflect.TypeFor[slo.Objective](): converted(
			func(o *slo.Objective, _ Sentences) string { return o.String() }, objectiveOf),
		reflect.TypeFor[condition.Condition](): converted(
			func(c *condition.Condition, _ Sentences) string { return c.String() }, conditionOf),
		reflect.TypeFor[metrics.LimitForecasts]():                converted(limitsForm, RateLimits.of),
		reflect.TypeFor[[history.NumFigures]history.Quantiles](): converted(quantilesByName, quantilesOfNames),
		reflect.TypeFor[watchRows](): converted(func(rows *watchRows, _ Sentences) []watchstat.Row { return rows[:] },
			func(list []watchstat.Row) (rows watchRows) {
				copy(rows[:], list)
				return rows
			}),
	}
}

// watchRows are those of a change.
type watchRows = [watchstat.Figures]watchstat.Row

// countsByKind returns the counts of faults by their kind, nil without any.
func countsByKind(counts *[]metrics.FaultCount, _ Sentences) (out map[string]int) {
	for _, f := range *counts {
		if out == nil {
			out = map[string]int{}
		}
		out[string(f.Kind)] += f.N
	}
	return out
}

func countsOfKinds(kinds map[string]int) (counts []metrics.FaultCount) {
	for kind, n := range kinds {
		counts = metrics.AddFaults(counts, metrics.FaultCount{Kind: metrics.FaultKind(kind), N: n})
	}
	return counts
}

// Delay has the sentences on tokscope's own lateness.
type Delay struct {
	*metrics.Delay
	Text string `json:"text,omitempty"`
	Next string `json:"next,omitempty"` // what to do
}

func delayForm(d *metrics.Delay, say Sentences) Delay {
	texts := say.all(d, time.Time{}, 2)
	return Delay{d, texts[0], texts[1]}
}

// suspicionForm returns the note on a doubt about the figures.
func suspicionForm(d *metrics.Suspicion, say Sentences) metrics.Note {
	return metrics.Note{Code: string(d.Code), Text: say.One(d)}
}

func suspicionOf(n metrics.Note) metrics.Suspicion {
	return metrics.Suspicion{Code: metrics.SuspectCode(n.Code)}
}

// RateLimits are the forecasts of the rate limits. One that no answer told of is
// null.
type RateLimits struct {
	Requests *LimitForecast `json:"requests"`
	Tokens   *LimitForecast `json:"tokens"`
}

// LimitForecast has the sentence on one rate limit.
type LimitForecast struct {
	*metrics.LimitForecast
	Text string `json:"text,omitempty"`
}

func limitsForm(f *metrics.LimitForecasts, say Sentences) RateLimits {
	texts := say.all(f, time.Time{}, 2)
	of := func(f *metrics.LimitForecast, text string) *LimitForecast {
		if !f.Known() {
			return nil
		}
		return &LimitForecast{f, text}
	}
	return RateLimits{of(&f.Requests, texts[0]), of(&f.Tokens, texts[1])}
}

func (l RateLimits) of() (out metrics.LimitForecasts) {
	if l.Requests != nil {
		out.Requests = *l.Requests.LimitForecast
	}
	if l.Tokens != nil {
		out.Tokens = *l.Tokens.LimitForecast
	}
	return out
}

// boundOf is null for an interval that is not known.
func boundOf(i *loadstat.Interval, _ Sentences) *metrics.Bound {
	low, high := value(i.Low), value(i.High)
	if low == nil || high == nil {
		return nil
	}
	return &metrics.Bound{Low: *low, High: *high}
}

func intervalOf(b *metrics.Bound) loadstat.Interval {
	if b == nil {
		return loadstat.Interval{}
	}
	return loadstat.Interval{Low: metrics.Known(b.Low, loadstat.Batches), High: metrics.Known(b.High, loadstat.Batches)}
}

// AtLeast are lower bounds of percentiles. Absent ones have no bound.
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

func atLeastForm(a *metrics.AtLeast, _ Sentences) AtLeast {
	of := func(v metrics.Value) *LowBound {
		if low := value(v); low != nil {
			return &LowBound{*low, v.N}
		}
		return nil
	}
	return AtLeast{of(a.P50), of(a.P90), of(a.P95), of(a.P99)}
}

func (a AtLeast) of() metrics.AtLeast {
	of := func(b *LowBound) (v metrics.Value) {
		if b != nil {
			v = metrics.Finite(b.Low, b.N)
		}
		return v
	}
	return metrics.AtLeast{P50: of(a.P50), P90: of(a.P90), P95: of(a.P95), P99: of(a.P99)}
}

// objectiveOf returns the objective of words, zero for those of later versions.
func objectiveOf(words string) slo.Objective {
	if all, err := slo.Parse(words); err == nil && len(all) == 1 {
		return all[0]
	}
	return slo.Objective{}
}

// conditionOf returns the condition of words, zero for those of later versions.
func conditionOf(words string) condition.Condition {
	c, err := condition.Parse(words)
	if err != nil {
		return condition.Condition{}
	}
	return c
}

// quantilesByName returns the figures that have values, by name.
func quantilesByName(qs *[history.NumFigures]history.Quantiles, _ Sentences) map[string]history.Quantiles {
	out := map[string]history.Quantiles{}
	for f, q := range qs {
		if q.N > 0 {
			out[history.Figure(f).String()] = q
		}
	}
	return out
}

func quantilesOfNames(names map[string]history.Quantiles) (qs [history.NumFigures]history.Quantiles) {
	for f := range qs {
		qs[f] = names[history.Figure(f).String()]
	}
	return qs
}

// Lag is the program's own lag, and what it does to the figures beside it. What
// tokscope took of the machine includes the embedded endpoint.
type Lag struct {
	metrics.Observer
	Delay metrics.Delay `json:"delay,omitzero"` // absent where the lag does not show in the figures
}

// Connection is the connection of a request.
type Connection struct {
	metrics.Connection
	// Fronts are the proxies, gateways and CDNs that the response's headers name.
	Fronts []metrics.Front `json:"fronts,omitempty"`
}
