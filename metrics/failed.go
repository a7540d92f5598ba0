package metrics

import (
	"math"
	"slices"
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
	d := sortedDist(all, 1, WhyFailed)
	w := WithFailures{N: len(all), Failed: failed, P50: d.P50, P90: d.P90, P95: d.P95, P99: d.P99}
	for _, v := range [...]*Value{&w.P50, &w.P90, &w.P95, &w.P99} {
		if v.Why == WhyNotFinite {
			v.Why = WhyFailed
		}
	}
	return w
}
