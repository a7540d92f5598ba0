package comparison

import (
	"math"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/history"
	"tokscope/metrics/stats"
)

// Alpha is the level of intervals, and of all verdicts of a comparison together.
const Alpha = 0.05

// Of compares two complete samples. Figures are those of requests that ended
// well and are not suspect; failures count all requests but those that a person
// stopped. A point of a load counts as one value, and as all of its requests.
//
// It holds for samples that were complete before somebody looked.
func Of(a, b []history.Entry) Result {
	pairs := []Pair{{Result: ofGroups(groupOf(Setup{}, a), groupOf(Setup{}, b))}}
	judge(pairs)
	return pairs[0].Result
}

// groupOf returns the group of entries that were made so.
func groupOf(s Setup, entries []history.Entry) *Group {
	g := &Group{Setup: s}
	for i := range entries {
		g.Add(&entries[i])
	}
	return g
}

// ofGroups compares two groups without testing anything.
func ofGroups(a, b *Group) Result {
	res := Result{SuspectA: a.Suspect, SuspectB: b.Suspect,
		Failures: Failures{FailedA: a.Failed, NA: a.Requests, FailedB: b.Failed, NB: b.Requests, P: math.NaN()}}
	for f := range history.Figure(history.NumFigures) {
		va, vb := a.Values(f), b.Values(f)
		lagA, lagB := stats.Lag1(va), stats.Lag1(vb) // in the order of time
		slices.Sort(va)
		slices.Sort(vb)
		if f == history.Speed {
			res.speedA, res.speedB = va, vb
		}
		ma, mb := a.Medians[f], b.Medians[f]
		switch {
		case f == history.Speed && len(a.values[history.TPOT]) > 0 && len(b.values[history.TPOT]) > 0:
		case len(va)+len(vb) > 0 || ma.OK || mb.OK:
			r := rowOf(f, va, vb)
			r.single(ma, mb)
			r.correlate(lagA, lagB)
			res.Rows = append(res.Rows, r)
		}
	}
	return res
}

// correlate keeps the larger autocorrelation of the two samples, and marks it where
// it is more than chance: of 95 % of independent samples it is less than 2/√n.
func (r *Row) correlate(a, b float64) {
	n := r.NA
	r.Lag1 = a
	if math.IsNaN(a) || math.Abs(b) > math.Abs(a) {
		r.Lag1, n = b, r.NB
	}
	r.Doubtful = math.Abs(r.Lag1) > max(stats.MaxLag1, 2/math.Sqrt(float64(n)))
}

// single fills in a median of which there are no single values.
func (r *Row) single(a, b metrics.Value) {
	if a.OK && r.NA == 0 {
		r.A, r.NA, r.State = a.V, a.N, Single
	}
	if b.OK && r.NB == 0 {
		r.B, r.NB, r.State = b.V, b.N, Single
	}
	switch {
	case r.State != Single || !r.Both():
	case r.A == 0 || r.B == 0:
		r.Zero, r.Shift = true, r.B-r.A
	default:
		r.Ratio = r.B / r.A
	}
}

// Count returns how many requests an entry stands for, and how many of them did
// not end well.
func Count(e *history.Entry) (n, failed int) {
	n, failed = max(e.N, 1), e.Failed
	if n == 1 && (e.State == metrics.Failed || e.State == metrics.Truncated) {
		failed = 1
	}
	return n, min(max(failed, 0), n)
}

// rowOf compares ascending values, without a state.
func rowOf(f history.Figure, a, b []float64) Row {
	nan := math.NaN()
	r := Row{Figure: f, NA: len(a), NB: len(b), ValuesA: a, ValuesB: b, P: 1, A: nan, B: nan, Ratio: nan, Low: 0,
		High: math.Inf(1), Shift: nan, ShiftLow: math.Inf(-1), ShiftHigh: math.Inf(1), Explains: nan}
	if r.NA > 0 {
		r.A = stats.Quantile(a, 0.5)
	}
	if r.NB > 0 {
		r.B = stats.Quantile(b, 0.5)
	}
	if !r.Both() {
		return r
	}
	if r.Zero = a[0] == 0 || b[0] == 0; r.Zero {
		r.Shift, r.ShiftLow, r.ShiftHigh = stats.HodgesLehmann(b, a, Alpha)
	} else {
		r.Ratio, r.Low, r.High = ratio(a, b)
	}
	if figure.Of(f).Part != "" {
		r.Explains = r.B - r.A
	}
	return r
}

// ratio returns the ratio of b to a by Hodges and Lehmann on logarithms, and its
// interval. Values are above 0. With too few values low is 0 or high infinite.
func ratio(a, b []float64) (ratio, low, high float64) {
	shift, lo, hi := stats.HodgesLehmann(stats.Logs(b), stats.Logs(a), Alpha)
	return math.Exp(shift), math.Exp(lo), math.Exp(hi)
}

// judge tests all figures of all pairs together.
func judge(pairs []Pair) {
	// Which figures are tested depends on the numbers of values alone, never on
	// what they are: so the correction stays true.
	most, all := 0, 0
	for i := range pairs {
		res := &pairs[i].Result
		for j := range res.Rows {
			r := &res.Rows[j]
			if r.bestP() <= Alpha {
				most++
			}
			if r.Both() && r.State != Single {
				all++
			}
		}
		if res.Failures.tested() {
			most, all = most+1, all+1
		}
	}
	most, all = max(most, 1), max(all, 1)
	var ps []float64
	var results []func(p float64)
	for i := range pairs {
		res := &pairs[i].Result
		for j := range res.Rows {
			r := &res.Rows[j]
			switch {
			case r.State == Single:
			case r.bestP() > Alpha/float64(most):
				r.Needs = stats.MannWhitneyNeeds(Alpha / float64(all))
			default:
				u, p := stats.MannWhitney(r.ValuesA, r.ValuesB)
				middle := float64(r.NA) * float64(r.NB) / 2
				ps, results = append(ps, p), append(results, func(p float64) { r.conclude(p, u < middle) })
			}
		}
		f := &res.Failures
		switch {
		case f.tested():
			ps, results = append(ps, stats.Fisher(f.FailedA, f.NA, f.FailedB, f.NB)), append(results, f.conclude)
		case f.NA > 0 && f.NB > 0:
			f.State = Noise // none failed
		}
	}
	for i, p := range stats.Holm(ps) {
		results[i](p)
	}
	for i := range pairs {
		pairs[i].Tested = len(ps)
	}
}

// bestP returns the smallest p-value that so many values can have, 1 without both.
func (r *Row) bestP() float64 {
	return stats.MannWhitneyLeast(len(r.ValuesA), len(r.ValuesB))
}

// conclude sets the state by the corrected p-value. The direction is that of the
// ratio; at a ratio of 1 there is nothing to name. Of Zero it is that of the ranks,
// which more values above 0 raise although the median of all differences stays 0.
func (r *Row) conclude(p float64, higher bool) {
	r.State, r.P = concluded(p, r.Ratio > 1 || r.Zero && higher, r.Ratio < 1 || r.Zero), p
}

// concluded returns the state by the corrected p-value, and by what seems to be so.
func concluded(p float64, higher, lower bool) State {
	switch {
	case p > Alpha:
	case higher:
		return Higher
	case lower:
		return Lower
	}
	return Noise
}

// tested reports whether there is a share to test.
func (f *Failures) tested() bool { return f.NA > 0 && f.NB > 0 && f.FailedA+f.FailedB > 0 }

// conclude sets the state by the corrected p-value.
func (f *Failures) conclude(p float64) {
	a, b := float64(f.FailedA)/float64(f.NA), float64(f.FailedB)/float64(f.NB)
	f.State, f.P = concluded(p, b > a, b < a), p
}
