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

// record is one ended request that was sent within the window. An unknown
// figure is NaN, inside this package only.
type record struct {
	start    metrics.Stamp
	end      metrics.Stamp
	ok       bool              // ended well
	leftOpen bool              // it waited for an end marker
	atOnce   bool              // it was held back and let go, see metrics.Figures.AtOnce
	tokens   float32           // received
	ttft     float64           // ms
	tpot     float64           // ms
	total    float64           // ms
	speed    float64           // tok/s
	intended float64           // ms from the intended time to the first chunk
	prompt   float64           // tokens
	slo      [sloCount]float64 // the figures of the objectives, by sloNames
	mlperf   [2]float64        // TTFT and TPOT, ms, as MLPerf defines them
}

func (r *record) ended() metrics.Stamp { return r.end }

// failure is one request that failed within the window.
type failure struct {
	at    metrics.Stamp
	fault metrics.FaultCount
}

func (f *failure) ended() metrics.Stamp { return f.at }

var sloNames = slo.Names()

const sloCount = 8

var nan = math.NaN()

// number converts an unknown figure into NaN.
func number(v metrics.Value) float64 {
	if !v.OK {
		return nan
	}
	return v.V
}

// newRecord returns the record of a request that ended at end with the
// figures f.
func newRecord(end metrics.Stamp, ok bool, f *metrics.Figures) record {
	r := record{end: end, ok: ok, atOnce: ok && f.AtOnce(), ttft: number(f.TTFT), tpot: number(f.TPOT),
		total: number(f.Total), speed: number(f.Speed), prompt: number(f.PromptTokens), intended: nan,
		mlperf: [2]float64{nan, nan}}
	for i, name := range sloNames {
		if i < sloCount {
			r.slo[i] = number(slo.Objective{Name: name}.Of(f))
		}
	}
	return r
}

// byMLPerf returns the figures of a stream in the definitions of MLPerf Endpoints, tokens by the
// server's count. They are unknown in an API for which it has no rule.
func byMLPerf(v *metrics.Stream, f *metrics.Figures) [2]float64 {
	if trace, why := definition.Of(v, f); why == 0 && definition.MLPerf.Reads(trace.API) {
		row := definition.Apply(definition.MLPerf, &trace)
		return [2]float64{number(row.TTFT.Value), number(row.TPOT.ByServer)}
	}
	return [2]float64{nan, nan}
}

// figures returns those of a loadstat.PartRow.
func (r *record) figures() []*float64 {
	all := []*float64{&r.ttft, &r.tpot, &r.total, &r.speed, &r.prompt, &r.intended, &r.mlperf[0], &r.mlperf[1]}
	for i := range r.slo {
		all = append(all, &r.slo[i])
	}
	return all
}

// meets reports whether r meets o; like slo.Met it counts an unknown figure
// as missed.
func (r *record) meets(o slo.Objective) bool {
	i := slices.Index(sloNames, o.Name)
	if !r.ok || i < 0 || i >= sloCount {
		return false
	}
	return o.Meets(r.slo[i])
}

// column returns the known values of one figure of the requests that ended well.
func column(records []record, of func(*record) float64) []float64 {
	out := make([]float64, 0, len(records))
	for i := range records {
		if v := of(&records[i]); records[i].ok && !math.IsNaN(v) {
			out = append(out, v)
		}
	}
	return out
}

// failedOf returns how many of the requests failed.
func failedOf(records []record) int {
	return pick.Count(records, func(r *record) bool { return !r.ok })
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
		all := r.ok
		for k, o := range slos {
			if !r.meets(o) {
				p.Misses[k].N++
				all = false
			}
		}
		tokens += float64(r.tokens)
		if all {
			good++
			goodTokens += float64(r.tokens)
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
