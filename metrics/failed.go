package metrics

import (
	"math"
	"slices"

	"tokscope/metrics/stats"
)

// WithFailures are percentiles of a wait, ms, in which every request that failed counts
// as one that waited for ever. One that lies among these is unknown for WhyFailed:
// larger than all that ended. The zero WithFailures: nothing failed.
type WithFailures struct {
	N      int   `json:"n"` // requests, those that failed too
	Failed int   `json:"failed"`
	P50    Value `json:"p50"`
	P90    Value `json:"p90"`
	P95    Value `json:"p95"`
	P99    Value `json:"p99"`
}

// IsZero reports whether nothing failed: it is absent in JSON.
func (w *WithFailures) IsZero() bool { return w.Failed == 0 }

// Share is that of the requests that failed, 0..1; 0 without any.
func (w *WithFailures) Share() float64 { return float64(w.Failed) / float64(max(w.N, 1)) }

// WithFailuresOf returns the percentiles of the finite waits of requests that ended well
// and of so many that failed, by the method of Distribution, with as many requests as its
// percentiles need.
func WithFailuresOf(waits []float64, failed int) WithFailures {
	if failed <= 0 {
		return WithFailures{}
	}
	all := slices.Concat(waits, slices.Repeat([]float64{math.Inf(1)}, failed))
	slices.Sort(all)
	n := len(all)
	w := WithFailures{N: n, Failed: failed}
	for _, p := range [...]struct {
		to    *Value
		q     float64
		least int
	}{{&w.P50, 0.50, MinP50}, {&w.P90, 0.90, MinP90}, {&w.P95, 0.95, MinP95}, {&w.P99, 0.99, MinP99}} {
		switch v := stats.Quantile(all, p.q); {
		case n < p.least:
			*p.to = Unknown(Needs(p.least))
		case math.IsInf(v, 1):
			*p.to = Unknown(WhyFailed)
		default:
			*p.to = Finite(v, n)
		}
	}
	return w
}
