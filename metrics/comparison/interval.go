package comparison

import (
	"math"

	"tokscope/metrics/condition"
	"tokscope/metrics/figure"
	"tokscope/metrics/history"
	"tokscope/metrics/stats"
)

// Interval returns the figure of a condition and its 95 % interval, in the unit of
// the condition: of B to A for a ratio, else of B; turned exchanges A and B. All are
// NaN where the samples have no such figure, and where there is no ratio, as that of A
// is 0. An end that so few values cannot bound is 0 or infinite.
//
// The ratio at the median is that of Row: the shift of Hodges and Lehmann, not the
// quotient of the medians. That of another quantile, which is no shift, and that of
// medians where a value is 0 has an interval from the order statistics of both
// samples, each at half of the level: it holds for any distribution, and is wide.
func (res *Result) Interval(c *condition.Condition, turned bool) (value, low, high float64) {
	nan := math.NaN()
	if c.Figure == figure.Failures {
		failed, n := res.Failures.FailedB, res.Failures.NB
		if turned {
			failed, n = res.Failures.FailedA, res.Failures.NA
		}
		if n == 0 {
			return nan, nan, nan
		}
		low, high = stats.ShareInterval(failed, n, Alpha)
		return float64(failed) / float64(n), low, high
	}
	a, b := res.values(c, turned)
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
func (res *Result) noRatio(c *condition.Condition, turned bool) bool {
	a, b := res.values(c, turned)
	return c.Unit == condition.Ratio && len(a) > 0 && len(b) > 0 && stats.Quantile(a, c.Quantile) == 0
}

// values returns those of a condition's figure; turned exchanges A and B.
func (res *Result) values(c *condition.Condition, turned bool) (a, b []float64) {
	if c.Figure == history.Speed {
		a, b = res.speedA, res.speedB
	} else if r := res.Row(c.Figure); r != nil {
		a, b = r.ValuesA, r.ValuesB
	}
	if turned {
		a, b = b, a
	}
	return a, b
}
