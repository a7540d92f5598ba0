package definition

import (
	"math"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/metrics/stats"
)

// Summary is what a rule makes of many requests: the median and the 99th
// percentile of TTFT and ITL, ms. Where the tool gives no percentiles, P50 is its
// mean or best and P99 is unknown.
type Summary struct {
	Rule      *Rule         `json:"" form:"inline"`
	Requests  int           `json:"requests"` // with a TTFT
	TTFT50    metrics.Value `json:"ttft_p50_ms"`
	TTFT99    metrics.Value `json:"ttft_p99_ms"`
	ITL50     metrics.Value `json:"itl_p50_ms"`
	ITL99     metrics.Value `json:"itl_p99_ms"`
	ITLValues int           `json:"itl_values"` // values that the percentiles of ITL are of
}

// Summarize applies all rules to the traces of many requests in their APIs, and joins
// the values of each as its tool does. A rule without a trace is left out.
func Summarize(traces []Trace) (out []Summary) {
	for _, r := range pick.All(Rules) {
		read := slices.DeleteFunc(slices.Clone(traces), func(t Trace) bool { return !r.Reads(t.API) })
		if len(read) > 0 || len(traces) == 0 && r.Reads("") {
			out = append(out, summarize(r, read))
		}
	}
	return out
}

func summarize(r *Rule, traces []Trace) Summary {
	var ttft, itl []stats.Weighted
	for i := range traces {
		row := Apply(r, &traces[i])
		if row.TTFT.Value.OK {
			ttft = append(ttft, stats.Weighted{V: row.TTFT.Value.V, W: 1})
		}
		switch {
		case r.GapPool == PoolGaps && r.ITL.Per == Gaps:
			for _, g := range gaps(r, &traces[i]) {
				itl = append(itl, stats.Weighted{V: g, W: 1})
			}
		case row.ITL.Value.OK && r.GapPool == PoolTokens && row.Tokens.OK:
			itl = append(itl, stats.Weighted{V: row.ITL.Value.V, W: max(row.Tokens.V-1, 1)})
		case row.ITL.Value.OK:
			itl = append(itl, stats.Weighted{V: row.ITL.Value.V, W: 1})
		}
	}
	out := Summary{Rule: r, Requests: len(ttft), ITLValues: len(itl)}
	out.TTFT50, out.TTFT99 = r.percentiles(ttft)
	out.ITL50, out.ITL99 = r.percentiles(itl)
	return out
}

// gaps are the times between events that count, those within one read
// included: a tool that reads late or in batches has them as 0.
func gaps(r *Rule, t *Trace) []float64 {
	a := applied{rule: r, trace: t}
	a.find()
	var at []float64
	if a.first.index < 0 && a.first.at.OK {
		at = append(at, a.first.at.V)
	}
	for i := range t.Chunks {
		if c := &t.Chunks[i]; a.takes(r.Counts, c) && (len(at) == 0 || c.Index != a.first.index || at[0] != c.At) {
			at = append(at, c.At)
		}
	}
	if a.last.index < 0 && a.last.at.OK && len(at) > 0 && a.last.at.V > at[len(at)-1] {
		at = append(at, a.last.at.V)
	}
	var out []float64
	for i := 1; i < len(at); i++ {
		out = append(out, at[i]-at[i-1])
	}
	return out
}

// percentiles returns the median and the 99th percentile of xs as the tool
// prints them. tokscope prints none of too few values.
func (r *Rule) percentiles(xs []stats.Weighted) (p50, p99 metrics.Value) {
	if r.Evidence != Ours {
		return r.Quantile.of(xs)
	}
	d := metrics.Distribution(values(xs))
	return d.P50, d.P99
}

// values returns those of xs without their weights.
func values(xs []stats.Weighted) []float64 {
	return pick.Each(xs, func(x *stats.Weighted) float64 { return x.V })
}

// of returns the median and the 99th percentile of xs by the method.
func (q Quantile) of(xs []stats.Weighted) (p50, p99 metrics.Value) {
	none := metrics.Unknown(metrics.WhyUndefined)
	if len(xs) == 0 {
		return metrics.Unknown(metrics.WhyNoValues), metrics.Unknown(metrics.WhyNoValues)
	}
	slices.SortFunc(xs, stats.Weighted.Compare)
	n := len(xs)
	switch q {
	case QuantileLinear: // numpy's default, which is ours
		x := values(xs)
		return metrics.Known(stats.Quantile(x, 0.5), n), metrics.Known(stats.Quantile(x, 0.99), n)
	case QuantileNearest:
		return metrics.Known(nearest(xs, 0.5), n), metrics.Known(nearest(xs, 0.99), n)
	case QuantileLower:
		x := values(xs)
		return metrics.Known(stats.Lower(x, 0.5), n), metrics.Known(stats.Lower(x, 0.99), n)
	case QuantileBest:
		return metrics.Known(xs[0].V, n), none
	case QuantileMean:
		sum := 0.0
		for _, x := range xs {
			sum += x.V
		}
		return metrics.Known(sum/float64(n), n), none
	}
	return none, none
}

// nearest is the smallest value whose share of the weight reaches p.
func nearest(xs []stats.Weighted, p float64) float64 {
	total, sum := 0.0, 0.0
	for _, x := range xs {
		total += x.W
	}
	for _, x := range xs {
		if sum += x.W; sum >= p*total-1e-9*math.Abs(total) {
			return x.V
		}
	}
	return xs[len(xs)-1].V
}
