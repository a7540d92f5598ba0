package loadgen

import (
	"math"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/definition"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
	"tokscope/metrics/slo"
)

// record is one ended request that was sent within the window.
type record = loadstat.PartRow

func recordEnd(r *record) metrics.Stamp { return r.End }

// failure is one request that failed within the window.
type failure struct {
	at    metrics.Stamp
	fault metrics.FaultCount
}

func (f *failure) ended() metrics.Stamp { return f.at }

var sloNames = slo.Names()

// newRecord returns the record of a request that ended at end with the
// figures f.
func newRecord(end metrics.Stamp, ok bool, f *metrics.Figures) record {
	r := record{End: end, OK: ok, AtOnce: ok && f.AtOnce(), Figures: make(loadstat.RowFigures, 0, loadstat.RowLength)}
	for _, name := range sloNames {
		r.Figures = append(r.Figures, slo.Objective{Name: name}.Of(f).OrNaN())
	}
	r.Figures = append(r.Figures, f.PromptTokens.OrNaN(), math.NaN(), math.NaN(), math.NaN())
	return r
}

// byMLPerf returns TTFT and TPOT of a stream in the definitions of MLPerf Endpoints, tokens by the
// server's count. They are unknown in an API for which it has no rule.
func byMLPerf(v *metrics.Stream, f *metrics.Figures) (ttft, tpot float64) {
	if trace, why := definition.Of(v, f); why == 0 && definition.MLPerf.Reads(trace.API) {
		row := definition.Apply(definition.MLPerf, &trace)
		return row.TTFT.Value.OrNaN(), row.TPOT.ByServer.OrNaN()
	}
	return math.NaN(), math.NaN()
}

// meets reports whether r meets o; like slo.Met it counts an unknown figure
// as missed.
func meets(r *record, o slo.Objective) bool {
	i := slices.Index(sloNames, o.Name)
	return r.OK && i >= 0 && o.Meets(r.Figures[i])
}

// column returns the known values of one figure of the requests that ended well.
func column(records []record, figure int) []float64 {
	out := make([]float64, 0, len(records))
	for i := range records {
		if r := &records[i]; r.OK && !math.IsNaN(r.Figures[figure]) {
			out = append(out, r.Figures[figure])
		}
	}
	return out
}

// failedOf returns how many of the requests failed.
func failedOf(records []record) int {
	return pick.Count(records, func(r *record) bool { return !r.OK })
}

// judge fills the fields of p that depend on the objectives. Without
// objectives every request that ended well is good.
//
//	GoodRate    share of the requests that are good · requests that ended per second
//	GoodTokens  share of their tokens that are of good requests · throughput
func judge(p *loadstat.Point, records []record, slos []slo.Objective) {
	p.Misses, p.JudgedFailed = nil, failedOf(records)
	for _, o := range slos {
		p.Misses = append(p.Misses, loadstat.Miss{SLO: o})
	}
	n, good := len(records), 0
	tokens, goodTokens := 0.0, 0.0
	for i := range records {
		r := &records[i]
		all := r.OK
		for k, o := range slos {
			if !meets(r, o) {
				p.Misses[k].N++
				all = false
			}
		}
		tokens += r.Tokens
		if all {
			good++
			goodTokens += r.Tokens
		}
	}
	if n == 0 {
		p.GoodShare = metrics.Unknown(metrics.WhyNoneOfWindow)
		p.GoodRate, p.GoodTokens = p.GoodShare, p.GoodShare
		return
	}
	if p.GoodTokens = p.Total; p.Total.OK {
		p.GoodTokens = metrics.Known(0, n)
		if goodTokens > 0 {
			p.GoodTokens = metrics.Finite(p.Total.V*(goodTokens/tokens), n)
		}
	}
	p.GoodShare = metrics.Known(float64(good)/float64(n), n)
	p.GoodRate = metrics.Unknown(metrics.WhyJustBegun)
	if seconds := float64(p.To-p.From) / 1e9; seconds > 0 {
		p.GoodRate = metrics.Known(p.GoodShare.V*float64(p.Requests+p.Failed)/seconds, n)
	}
}
