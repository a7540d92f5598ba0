package comparison

import (
	"math"

	"tokscope/metrics/condition"
	"tokscope/metrics/history"
	"tokscope/metrics/stats"
)

// Interval returns the figure of a condition and its 95 % interval, in the unit of
// the condition: of B to A for a ratio, else of B. All are NaN where the samples
// have no such figure, and where there is no ratio, as that of A is 0. An end that
// so few values cannot bound is 0 or infinite.
//
// The ratio at the median is that of Row: the shift of Hodges and Lehmann, not the
// quotient of the medians. That of another quantile, which is no shift, and that of
// medians where a value is 0 has an interval from the order statistics of both
// samples, each at half of the level: it holds for any distribution, and is wide.
func (res *Result) Interval(c *condition.Condition) (value, low, high float64) {
	nan := math.NaN()
	if c.Failures {
		f := &res.Failures
		if f.NB == 0 {
			return nan, nan, nan
		}
		low, high = stats.ShareInterval(f.FailedB, f.NB, Alpha)
		return float64(f.FailedB) / float64(f.NB), low, high
	}
	a, b := res.values(c)
	if len(b) == 0 || c.Unit == condition.Ratio && len(a) == 0 {
		return nan, nan, nan
	}
	switch {
	case c.Unit != condition.Ratio:
		low, high = stats.OrderInterval(b, c.Quantile, Alpha)
		// Of too few values for a high quantile the lower end is the largest.
		return max(stats.Quantile(b, c.Quantile), low), max(low, 0), high
	case c.Quantile == 0.5 && a[0] > 0 && b[0] > 0:
		return ratio(a, b)
	}
	to := stats.Quantile(a, c.Quantile)
	if to == 0 {
		return nan, nan, nan
	}
	lowA, highA := stats.OrderInterval(a, c.Quantile, Alpha/2)
	lowB, highB := stats.OrderInterval(b, c.Quantile, Alpha/2)
	low, high = stats.RatioInterval(lowB, highB, lowA, highA)
	return min(max(stats.Quantile(b, c.Quantile)/to, low), high), low, high
}

// noRatio reports whether a condition asks for a ratio to 0.
func (res *Result) noRatio(c *condition.Condition) bool {
	a, b := res.values(c)
	return c.Unit == condition.Ratio && !c.Failures && len(a) > 0 && len(b) > 0 && stats.Quantile(a, c.Quantile) == 0
}

// values returns those of a condition's figure.
func (res *Result) values(c *condition.Condition) (a, b []float64) {
	if c.Figure == history.Speed {
		return res.speedA, res.speedB
	}
	if r := res.Row(c.Figure); r != nil {
		return r.ValuesA, r.ValuesB
	}
	return nil, nil
}
