package racestat

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/figure"
)

// TestForecast races lanes of many differences and spreads, and compares each forecast with
// the pairs that it really took. Of those that Foreseen lets pass 8 of 9 are right within a
// factor of two; of all forecasts 3 of 4. TOKSCOPE_LONG=1 races more of them.
func TestForecast(t *testing.T) {
	races := 4
	if os.Getenv("TOKSCOPE_LONG") != "" {
		races = 100
	}
	rng := rand.New(rand.NewPCG(28, 1))
	var said, right, all, allRight int
	for _, mu := range []float64{0, 0.01, 0.03, 0.1, 0.3, 1} {
		for _, sigma := range []float64{0.01, 0.05, 0.2, 0.5} {
			for range races {
				b := NewBoard(2, Level, Band, 30)
				var open []Verdict
				decided := math.MaxInt32
				for n := 1; n <= 90; n++ {
					b.Add(pairOf(rng, mu, sigma))
					if n > 30 {
						b.most = 1000
					}
					v := b.Verdicts()[0]
					if v.State.Settled() {
						decided = n
						break
					}
					if n < 30 && v.Forecast > 0 {
						open = append(open, v)
					}
				}
				for i := range open {
					v := &open[i]
					took := decided - v.N
					holds := took <= 2*v.Forecast && 2*took >= v.Forecast
					all++
					if holds {
						allRight++
					}
					if v.Foreseen() > 0 {
						said++
						if holds {
							right++
						}
					}
				}
			}
		}
	}
	t.Logf("said %d, right within a factor of two %.2f; all %d, right %.2f", said, float64(right)/float64(said),
		all, float64(allRight)/float64(all))
	if share := float64(right) / float64(said); share < 0.85 || said < all/4 {
		t.Errorf("%d of %d forecasts are right within a factor of two", right, said)
	}
}

// pairOf is a round whose second lane takes about e^mu as long as the first.
func pairOf(rng *rand.Rand, mu, sigma float64) *Round {
	r := &Round{N: 2, Order: rng.Perm(2), Results: make([]Result, 2)}
	for lane := range r.Results {
		r.Results[lane].Values[figure.TTFT] = metrics.Known(math.Exp(mu*float64(lane)+sigma/math.Sqrt2*rng.NormFloat64()), 1)
	}
	return r
}
