package testkit

import (
	"math"
	"time"
)

// A round is long enough for the clock and short enough to fit between two
// time slices of other processes.
const (
	rounds = 60
	round  = 200 * time.Microsecond
)

// Ratio returns how long f takes relative to ref: the quickest of many short
// rounds of each, taken in turn. Other load slows some rounds of both; it
// does not affect the quickest. now is time.Now.
func Ratio(now func() time.Time, f, ref func()) float64 {
	elapsed := func(n int, f func()) time.Duration {
		from := now()
		for range n {
			f()
		}
		return now().Sub(from)
	}
	// enough returns the number of runs of f that fill a round. The quickest of a
	// few tries counts: after one that other load slowed, a round would hold so few
	// runs that the clock's own cost would be measured.
	enough := func(f func()) int {
		n := 1
		for min(elapsed(n, f), elapsed(n, f), elapsed(n, f)) < round {
			n *= 2
		}
		return n
	}
	nf, nr := enough(f), enough(ref)
	best, bestRef := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for range rounds {
		best = min(best, elapsed(nf, f))
		bestRef = min(bestRef, elapsed(nr, ref))
	}
	return float64(best) / float64(nf) / (float64(bestRef) / float64(nr))
}
