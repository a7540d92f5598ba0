package metrics

import (
	"cmp"
	"slices"
	"sort"
	"tokscope/metrics/stats"
)

// AtLeast are lower bounds of the percentiles of a wait, where so many waits still
// last that a percentile lies among them. A figure is unknown where the waits that have
// ended give the percentile alone. The zero AtLeast has no bounds. The N of a
// figure counts all waits behind it, those that last too.
type AtLeast struct {
	P50, P90, P95, P99 Value
}

// IsZero reports whether there is no bound: they are absent in JSON.
func (a *AtLeast) IsZero() bool { return !a.P50.OK && !a.P90.OK && !a.P95.OK && !a.P99.OK }

// AtLeastOf returns the lower bounds for three kinds of waits: of requests that have
// ended, of requests that run and whose wait is over, and waits that last. A wait
// that has lasted for some time will be at least that long. No slice is changed, and
// all hold finite numbers.
//
// For each q the waits that last count where they are already longer than the
// q-quantile of the ended requests. Younger ones say nothing of it yet, so the bound
// is of the waits that began at least that long ago; of all without an ended
// request. The bound is
//
//	Q(q) of the waits that are over and of the present length of those counted
//
// It is given where the waits that are over do not reach the quantile: with n of them
// and N waits (N−1)·q > n−1. It is also given where it is so far above their quantile
// that this one would mislead. It needs as many waits as a percentile of
// Distribution.
func AtLeastOf(ended, running, lasting []float64) (out AtLeast) {
	if len(lasting) == 0 {
		return out
	}
	usual, last := slices.Clone(ended), slices.Clone(lasting)
	slices.Sort(usual)
	slices.Sort(last)
	passed := slices.Concat(usual, running)
	slices.Sort(passed)
	var all []float64
	for k, p := range percentiles(&out.P50, &out.P90, &out.P95, &out.P99) {
		q, counted := levels[k], last
		if len(usual) > 0 {
			limit := stats.Quantile(usual, q)
			counted = last[sort.Search(len(last), func(i int) bool { return last[i] > limit }):]
		}
		n := len(passed) + len(counted)
		if len(counted) == 0 || n < p.least {
			continue
		}
		all = mergeSorted(append(all[:0], passed...), counted, cmp.Less)
		bound := stats.Quantile(all, q)
		if float64(n-1)*q > float64(len(passed)-1) || bound > wideBound*stats.Quantile(passed, q) {
			*p.to = Finite(bound, n)
		}
	}
	return out
}
