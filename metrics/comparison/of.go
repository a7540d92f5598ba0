package comparison

import (
	"math"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/stats"
)

// Alpha is the level of intervals, and of all verdicts of a comparison together.
const Alpha = 0.05

// least is the smallest time in ms that a clock of nanoseconds tells from 0. It
// stands for 0, which has no logarithm.
const least = 1e-6

// Of compares two complete samples. Figures are those of requests that ended
// well and are not suspect; failures count all requests but those that a person
// stopped. A point of a load counts as one value, and as all of its requests.
//
// It holds for samples that were complete before somebody looked.
func Of(a, b []history.Entry) Result {
	var res Result
	sa, sb := sampleOf(a), sampleOf(b)
	res.SuspectA, res.SuspectB = sa.suspect, sb.suspect
	res.speedA, res.speedB = sa.values[history.Speed], sb.values[history.Speed]
	for f := range history.Figure(history.NumFigures) {
		va, vb := sa.values[f], sb.values[f]
		if len(va)+len(vb) == 0 || f == history.Speed && len(sa.values[history.TPOT]) > 0 && len(sb.values[history.TPOT]) > 0 {
			continue
		}
		res.Rows = append(res.Rows, rowOf(f, va, vb))
	}
	res.Failures = Failures{FailedA: sa.failed, NA: sa.n, FailedB: sb.failed, NB: sb.n, P: 1}
	res.judge()
	return res
}

// sample is what entries say: the values of each figure, and the failures.
type sample struct {
	values             [history.NumFigures][]float64 // ascending
	n, failed, suspect int
}

// sampleOf collects entries.
func sampleOf(entries []history.Entry) (s sample) {
	for i := range entries {
		e := &entries[i]
		if e.State == metrics.Cancelled {
			continue
		}
		n, failed := Count(e)
		s.n += n
		s.failed += failed
		switch {
		case failed >= n:
			continue
		case e.Suspect:
			s.suspect += n - failed
			continue
		}
		for f, v := range e.Figures {
			if v.OK && v.V >= 0 && !math.IsInf(v.V, 0) {
				s.values[f] = append(s.values[f], v.V)
			}
		}
	}
	for f := range s.values {
		slices.Sort(s.values[f])
	}
	return s
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
	r := Row{Figure: f, NA: len(a), NB: len(b), ValuesA: a, ValuesB: b, P: 1, Ratio: math.NaN(), Low: 0, High: math.Inf(1)}
	if r.NA > 0 {
		r.A = Quantile(a, 0.5)
	}
	if r.NB > 0 {
		r.B = Quantile(b, 0.5)
	}
	if !r.Both() {
		return r
	}
	r.Ratio, r.Low, r.High = Ratio(a, b, Alpha)
	if Part(f) {
		r.Explains = r.B - r.A
	}
	return r
}

// Ratio returns the ratio of b to a by Hodges and Lehmann on logarithms, and its
// interval at level alpha. Values are not negative; 0 counts as 1 ns. With too few
// values low is 0 or high infinite.
func Ratio(a, b []float64, alpha float64) (ratio, low, high float64) {
	shift, lo, hi := stats.HodgesLehmann(logs(b), logs(a), alpha)
	return math.Exp(shift), math.Exp(lo), math.Exp(hi)
}

// logs returns the logarithms of values.
func logs(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = math.Log(max(v, least))
	}
	return out
}

// Quantile returns the quantile q of ascending values; of an even number the
// median is the mean of the two in the middle. It is NaN without values.
func Quantile(ascending []float64, q float64) float64 {
	n := len(ascending)
	if n == 0 {
		return math.NaN()
	}
	if q == 0.5 {
		return (ascending[(n-1)/2] + ascending[n/2]) / 2
	}
	return ascending[min(max(int(math.Ceil(q*float64(n)))-1, 0), n-1)]
}

// judge tests all figures together.
func (res *Result) judge() {
	f := &res.Failures
	failures := f.NA > 0 && f.NB > 0 && f.FailedA+f.FailedB > 0
	// Which figures are tested depends on the numbers of values alone, never on
	// what they are: so the correction stays true.
	most := 0
	for i := range res.Rows {
		if r := &res.Rows[i]; r.Both() && stats.MannWhitneyLeast(r.NA, r.NB) <= Alpha {
			most++
		}
	}
	if failures {
		most++
	}
	var ps []float64
	var tested []*Row
	for i := range res.Rows {
		r := &res.Rows[i]
		if !r.Both() || stats.MannWhitneyLeast(r.NA, r.NB) > Alpha/float64(max(most, 1)) {
			r.Needs = needs(max(most, 1))
			continue
		}
		r.State = Noise
		_, p := stats.MannWhitney(r.ValuesA, r.ValuesB)
		ps, tested = append(ps, p), append(tested, r)
	}
	if failures {
		ps = append(ps, stats.Fisher(f.FailedA, f.NA, f.FailedB, f.NB))
	}
	res.Tested = len(ps)
	adjusted := stats.Holm(ps)
	for i, r := range tested {
		r.P = adjusted[i]
		// The direction is that of the ratio; without one there is nothing to name.
		switch {
		case r.P > Alpha:
		case r.Ratio > 1:
			r.State = Higher
		case r.Ratio < 1:
			r.State = Lower
		}
	}
	switch {
	case f.NA == 0 || f.NB == 0:
	case !failures:
		f.State = Noise
	default:
		f.State, f.P = Noise, adjusted[len(adjusted)-1]
		a, b := float64(f.FailedA)/float64(f.NA), float64(f.FailedB)/float64(f.NB)
		if f.P <= Alpha && a > b {
			f.State = Lower
		} else if f.P <= Alpha {
			f.State = Higher
		}
	}
}

// needs returns how many values each sample must have so that one of so many
// figures can differ.
func needs(figures int) int {
	n := 1
	for stats.MannWhitneyLeast(n, n) > Alpha/float64(figures) {
		n++
	}
	return n
}
