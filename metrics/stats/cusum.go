package stats

import "math"

// Cusum watches a series for values that exceed a quantile of a baseline more
// often than they should: the Bernoulli CUSUM (Page, Biometrika 41, 1954;
// Reynolds and Stoumbos, Journal of Quality Technology 31(1), 1999). It needs no
// assumption on how the values are distributed.
//
// A value above the limit raises the sum by Up, any other lowers it by 1, not
// below 0. The alarm comes when the sum reaches Height. Where the baseline has the
// share p0 of exceedances, the share p1 is found soonest for which ln(p1/p0) is Up
// times ln((1-p0)/(1-p1)).
type Cusum struct {
	// Up is the step of an exceedance, at least 1.
	Up int
	// Height is the sum of the alarm, at least 1.
	Height int

	sum, since int
}

// Add adds a value that exceeds the limit, or does not, and reports whether there
// is an alarm. The sum stays at Height at most, so that recovery is seen as soon.
func (c *Cusum) Add(exceeds bool) (alarm bool) {
	if c.sum == 0 {
		c.since = 0
	}
	c.since++
	if exceeds {
		c.sum = min(c.sum+c.Up, c.Height)
	} else {
		c.sum = max(c.sum-1, 0)
	}
	return c.sum >= c.Height
}

// Since returns how many values ago the sum last left 0: the estimate of when the
// change began. It is 0 while the sum is 0.
func (c *Cusum) Since() int {
	if c.sum == 0 {
		return 0
	}
	return c.since
}

// Reset forgets what was added.
func (c *Cusum) Reset() { c.sum, c.since = 0, 0 }

// RunLength returns the mean number of values until an alarm, from a sum of 0, if
// each exceeds the limit with the probability p, independently of the others. It
// solves the Markov chain of the sums exactly. It is +Inf for p = 0.
func (c *Cusum) RunLength(p float64) float64 {
	if p <= 0 {
		return math.Inf(1)
	}
	// From s one step goes down, or Up steps go up. Let d[s] be the mean of the
	// values from s until s-1 or the alarm is reached, and alarm[s] the probability
	// that it is the alarm. An exceedance at s leads to s+Up, from where s+Up, ...,
	// s+1 are passed downwards one by one, unless the alarm comes first. The
	// probability of the alarm is summed, not that of its absence: it may be very small.
	d, alarm := make([]float64, c.Height), make([]float64, c.Height)
	for s := c.Height - 1; s >= 0; s-- {
		mean, lost, back := 0.0, 1.0, 0.0 // from s+Up to s
		if s+c.Up < c.Height {
			lost, back = 0, 1
			for t := s + c.Up; t > s; t-- {
				mean += back * d[t]
				lost += back * alarm[t]
				back *= 1 - alarm[t]
			}
		}
		// d[s] = 1 + p (mean + back d[s]); alarm[s] = p (lost + back alarm[s]).
		d[s] = (1 + p*mean) / (1 - p*back)
		alarm[s] = p * lost / (1 - p*back)
	}
	// At 0 a step down stays at 0.
	return d[0] / alarm[0]
}

// ShareAbove returns the quantile q of the share above the k-th smallest of m
// values: of Beta(m-k+1, k).
func ShareAbove(m, k int, q float64) float64 {
	// P(Beta(a, b) <= x) = P(Binomial(a+b-1, x) >= a), here a+b-1 = m, a = m-k+1.
	return bisect(0, 1, func(x float64) bool {
		return atLeast(m-k+1, m, x) < q
	})
}
