package loadgen

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"tokscope/metrics"
)

// arrivals is a schedule of requests: constant or Poisson.
type arrivals struct {
	rate    float64
	poisson bool
	rng     *rand.Rand
}

// gap is the distance to the next arrival.
//
//	constant  1/rate
//	Poisson   −ln(1 − u)/rate, u even in [0, 1)
func (a *arrivals) gap() time.Duration {
	d := 1 / a.rate
	if a.poisson {
		d *= -math.Log1p(-a.rng.Float64())
	}
	return time.Duration(min(d, 3600) * float64(time.Second))
}

// lagRing keeps the latest lags of a schedule, ms, and which of them were
// caused by busy users.
type lagRing struct {
	ring    []float64
	crowded []bool
	n       int
}

// lagsKept bounds a lagRing: enough for a p99, few enough to follow changes.
const lagsKept = 2048

// add counts the lag of a request, in ms; crowded: it found all users busy.
func (r *lagRing) add(ms float64, crowded bool) {
	if len(r.ring) < lagsKept {
		r.ring, r.crowded = append(r.ring, max(ms, 0)), append(r.crowded, crowded)
	} else {
		r.ring[r.n%lagsKept], r.crowded[r.n%lagsKept] = max(ms, 0), crowded
	}
	r.n++
}

// mostCrowded reports whether busy users caused most of the lags above limit.
func (r *lagRing) mostCrowded(limit float64) bool {
	late, crowded := 0, 0
	for i, ms := range r.ring {
		if ms > limit {
			late++
			if r.crowded[i] {
				crowded++
			}
		}
	}
	return 2*crowded > late
}

// dist returns the distribution of the lags.
func (r *lagRing) dist() metrics.Dist {
	return distOr(slices.Clone(r.ring), "no schedule")
}
