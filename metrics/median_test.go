package metrics

import (
	"math"
	"math/rand/v2"
	"testing"

	"tokscope/metrics/testkit"
)

// TestMedianIntervalNeedsSix: six values have their smallest and largest as the
// interval, fewer have none, and equal values have an interval of no width.
func TestMedianIntervalNeedsSix(t *testing.T) {
	runs := make([]Run, MinMedianInterval)
	for i := range runs {
		runs[i] = Run{Stream: Stream{State: Done, Marks: NewMarks()}, Figures: Figures{TTFT: Known(float64(40+i), 1),
			TPOT: Known(7, 1)}}
	}
	s := Summarize(runs)
	near(t, "low", s.TTFT.Low, 40)
	near(t, "high", s.TTFT.High, 45)
	near(t, "low of equal values", s.TPOT.Low, 7)
	near(t, "high of equal values", s.TPOT.High, 7)
	s = Summarize(runs[1:])
	unknown(t, "low of five", s.TTFT.Low, Needs(6))
	unknown(t, "high of five", s.TTFT.High, Needs(6))
}

// TestMedianIntervalCovers: the interval of a summary holds the true median in at
// least 95 % of samples, from the fewest values on that have one, of any
// distribution: skewed, heavy-tailed, of two modes, of few whole numbers. An
// interval that holds everything would pass that, so another median must be named
// too: a log-normal TTFT that is 1.5 times as long.
func TestMedianIntervalCovers(t *testing.T) {
	random := testkit.Rand(t, 32)
	tries := 500
	if testkit.Long() {
		tries = 100_000
	}
	most := 0.05 + 3*math.Sqrt(0.05*0.95/float64(tries))
	for _, d := range []struct {
		name   string
		median float64
		draw   func(r *rand.Rand) float64
	}{
		{"log-normal", 300, func(r *rand.Rand) float64 { return 300 * math.Exp(0.4*r.NormFloat64()) }},
		{"exponential", math.Ln2, (*rand.Rand).ExpFloat64},
		{"Cauchy", 0, func(r *rand.Rand) float64 { return math.Tan(math.Pi * (r.Float64() - 0.5)) }},
		{"two modes", 5, func(r *rand.Rand) float64 { return float64(9*r.IntN(2)) + r.Float64() }}, // any between them
		{"five numbers", 3, func(r *rand.Rand) float64 { return float64(1 + r.IntN(5)) }},
		{"40 % zeros", 1, func(r *rand.Rand) float64 { return float64(min(r.IntN(5), 2) / 2) }},
	} {
		for _, n := range []int{6, 7, 8, 10, 15, 20, 30, 100} {
			missed, named := 0, 0
			for range tries {
				x := make([]float64, n)
				for i := range x {
					x[i] = d.draw(random)
				}
				low, high := medianInterval(sortedFinite(x))
				if !low.OK || !high.OK || d.median < low.V || d.median > high.V {
					missed++
				}
				if high.V < 1.5*d.median {
					named++
				}
			}
			share := float64(missed) / float64(tries)
			t.Logf("%-12s of %3d values: covers %.2f %%", d.name, n, 100*(1-share))
			testkit.That(t, share <= most, "%s, %d values: covers %.2f %%", d.name, n, 100*(1-share))
			if d.name != "log-normal" {
				continue
			}
			found := float64(named) / float64(tries)
			t.Logf("%-12s of %3d values: leaves 1.5 times the median out in %.1f %%", d.name, n, 100*found)
			testkit.That(t, found >= map[int]float64{10: 0.4, 30: 0.95, 100: 0.999}[n],
				"%d values: 1.5 times the median is left out in %.1f %%", n, 100*found)
		}
	}
}
