package loadstat

import (
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/stats"
)

// MLPerf has the figures of a point under the names and by the definitions of MLPerf Endpoints'
// rules (v1.0): over the requests that were sent and ended well in the window. It is no result
// of MLPerf. Tokens are the server's count, not that of a reference tokenizer, and the window is
// tokscope's, not four passes over a data set and 600 or 1,200 s.
type MLPerf struct {
	TTFT metrics.Value `json:"ttft_p90_ms"`  // to the first text, reasoning or tool call
	TPOT metrics.Value `json:"tpot_p90_ms"`  // (end of the body − first chunk) / tokens after the first chunk
	User metrics.Value `json:"tps_per_user"` // 1000 / tpot_p90_ms, tok/s
	// System is the throughput, tok/s: tokens received in the window / its seconds.
	System      metrics.Value `json:"system_tps"`
	Concurrency int           `json:"concurrency" form:"null=zero"` // users asked for; null in an open loop
}

// MLPerfOf returns the figures of the point p from the times of its requests, ms.
func MLPerfOf(p *Point, ttft, tpot []float64) MLPerf {
	m := MLPerf{TTFT: lowerP90(ttft), TPOT: lowerP90(tpot), System: p.Total}
	if m.User = m.TPOT; m.TPOT.OK {
		m.User = metrics.Finite(1000/m.TPOT.V, m.TPOT.N)
	}
	if p.Asked == 0 {
		m.Concurrency = p.Users
	}
	return m
}

// lowerP90 is the p90 of values as MLPerf takes it.
func lowerP90(values []float64) metrics.Value {
	switch {
	case len(values) == 0:
		return metrics.Unknown(metrics.WhyNoValues)
	case len(values) < metrics.MinP90:
		return metrics.Unknown(metrics.Needs(metrics.MinP90))
	}
	slices.Sort(values)
	return metrics.Known(stats.Lower(values, 0.9), len(values))
}
