package loadstat

import (
	"math"
	"math/rand/v2"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/stats"
	"tokscope/metrics/testkit"
)

// long: run the simulation of intervals in full: about a minute.
var long = testkit.Long()

func TestBatchInterval(t *testing.T) {
	batches := func(of func(i int) float64) []float64 {
		x := make([]float64, Batches)
		for i := range x {
			x[i] = of(i)
		}
		return x
	}
	mean := metrics.Known(100, 400)
	i := BatchInterval(mean, batches(func(i int) float64 { return 100 + float64(1-2*(i%2)) }))
	if half := studentT * math.Sqrt(20./19/20); math.Abs(i.Low.V-(100-half)) > 1e-9 ||
		math.Abs(i.High.V-(100+half)) > 1e-9 || i.Low.N != Batches {
		t.Errorf("batches of 99 and 101: %+v", i)
	}
	if i := BatchInterval(mean, batches(func(int) float64 { return 100 })); !i.Low.OK || i.Low.V != 100 ||
		i.High.V != 100 {
		t.Errorf("equal batches: %+v", i)
	}
	if i := BatchInterval(metrics.Known(0.1, 1), batches(func(i int) float64 { return float64(i % 2) })); i.Low.V != 0 {
		t.Errorf("a speed below 0: %+v", i)
	}
	for name, c := range map[string]struct {
		got Interval
		why metrics.Why
	}{
		"a rise": {BatchInterval(mean, batches(func(i int) float64 { return float64(90 + i) })),
			metrics.WhyDependent},
		"two levels": {BatchInterval(mean, batches(func(i int) float64 { return float64(90 + i/10*20) })),
			metrics.WhyDependent},
		"19 batches": {BatchInterval(mean, batches(func(int) float64 { return 1 })[1:]), metrics.Needs(Batches)},
		"an unknown mean": {BatchInterval(metrics.Unknown(metrics.WhyJustBegun), batches(func(int) float64 { return 1 })),
			metrics.WhyJustBegun},
	} {
		testkit.That(t, !c.got.Low.OK && !c.got.High.OK && c.got.Low.Why == c.why && c.got.High.Why == c.why,
			"%s: %+v, want %s", name, c.got, c.why)
	}
}

// TestBatchIntervalCovers counts how often the interval holds the true mean: of
// independent values, of values that depend on the one before, and of users who
// each wait and then receive.
func TestBatchIntervalCovers(t *testing.T) {
	rounds := 400
	if long {
		rounds = 20_000
	}
	r := testkit.Rand(t, 1)
	for _, c := range []struct {
		name  string
		draw  func(r *rand.Rand) (batches []float64, truth float64)
		least float64 // coverage, by 20,000 rounds less what 400 may miss
	}{
		{"normal", autoregressive(0, 10), 0.90},
		{"AR(1) 0.5, 10 values a batch", autoregressive(0.5, 10), 0.88},
		{"AR(1) 0.8, 10 values a batch", autoregressive(0.8, 10), 0.80},
		{"AR(1) 0.9, 10 values a batch", autoregressive(0.9, 10), 0.65},
		{"AR(1) 0.9, 50 values a batch", autoregressive(0.9, 50), 0.85},
		{"exponential", exponential, 0.88},
		{"8 users, batch 1/5 of an answer", alternating(8, 0.2), 0.88},
		{"8 users, batch of an answer", alternating(8, 1), 0.90},
		{"64 users, batch 1/5 of an answer", alternating(64, 0.2), 0.88},
	} {
		given, held := 0, 0
		for range rounds {
			batches, truth := c.draw(r)
			sum := 0.0
			for _, x := range batches {
				sum += x / Batches
			}
			i := BatchInterval(metrics.Known(sum, 0), batches)
			if !i.Low.OK {
				continue
			}
			given++
			if i.Low.V <= truth && truth <= i.High.V {
				held++
			}
		}
		coverage := float64(held) / float64(max(given, 1))
		if long {
			t.Logf("%-34s given %5.1f %%, holds the mean %5.1f %%", c.name, 100*float64(given)/float64(rounds), 100*coverage)
		}
		// With new seeds one run in a million is told wrongly.
		_, most := stats.ShareInterval(held, given, 1e-6)
		testkit.That(t, given >= rounds/20 && most >= c.least,
			"%s: given %d of %d, holds the mean in %.3f of them, want %v", c.name, given, rounds, coverage, c.least)
	}
}

// autoregressive draws batches of n values that keep a share of the last.
func autoregressive(keep float64, n int) func(*rand.Rand) ([]float64, float64) {
	return func(r *rand.Rand) ([]float64, float64) {
		x, out := r.NormFloat64()/math.Sqrt(1-keep*keep), make([]float64, Batches)
		for i := range out {
			for range n {
				x = keep*x + r.NormFloat64()
				out[i] += (1000 + x) / float64(n)
			}
		}
		return out, 1000
	}
}

func exponential(r *rand.Rand) ([]float64, float64) {
	out := make([]float64, Batches)
	for i := range out {
		for range 5 {
			out[i] += r.ExpFloat64() / 5
		}
	}
	return out, 1
}

// alternating draws the throughput of users who receive nothing for a tenth of
// an answer's time and one token a unit for the rest, with answers that differ
// in length by a fifth. A batch lasts that many mean answers.
func alternating(users int, batch float64) func(*rand.Rand) ([]float64, float64) {
	const wait, answer = 0.1, 0.9
	return func(r *rand.Rand) ([]float64, float64) {
		out := make([]float64, Batches)
		for range users {
			at := -r.Float64() * 20
			for at < batch*Batches {
				from := at + wait
				at = from + answer*(0.8+0.4*r.Float64())
				for i := max(int(from/batch), 0); i < Batches && float64(i)*batch < at; i++ {
					if both := min(at, float64(i+1)*batch) - max(from, float64(i)*batch); both > 0 {
						out[i] += both / batch
					}
				}
			}
		}
		return out, float64(users) * answer / (wait + answer)
	}
}
