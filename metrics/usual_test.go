package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tokscope/metrics/stats"
	"tokscope/metrics/testkit"
)

// TestUsualWhereNothingChanges holds what BandOf promises: how often a request is
// called unusual although its server is as it was.
func TestUsualWhereNothingChanges(t *testing.T) {
	r := testkit.Rand(t, 1)
	bell := func(sigma float64) float64 { return 100 * math.Exp(sigma*r.NormFloat64()) }
	sometimes := func(share, v float64) float64 {
		if r.Float64() < share {
			v *= 1.5 + r.ExpFloat64()
		}
		return v
	}
	noises := []struct {
		name   string
		value  func(hour int) float64
		at10   float64 // at most this share is unusual, of 10 values
		atMost float64 // of 20 and more
	}{
		{"steady", func(int) float64 { return 100 }, 0, 0},
		{"3 %", func(int) float64 { return bell(0.03) }, 0.02, 0.02},
		{"10 %", func(int) float64 { return bell(0.1) }, 0.02, 0.02},
		{"40 %", func(int) float64 { return bell(0.4) }, 0.02, 0.02},
		{"a floor and a queue", func(int) float64 { return 100 + 20*r.ExpFloat64() }, 0.025, 0.025},
		{"2 % outliers", func(int) float64 { return sometimes(0.02, bell(0.05)) }, 0.03, 0.03},
		{"5 % outliers", func(int) float64 { return sometimes(0.05, bell(0.05)) }, 0.045, 0.035},
		{"every third slow", func(int) float64 {
			if r.IntN(3) == 0 {
				return 1.8 * bell(0.05)
			}
			return bell(0.05)
		}, 0.02, 0.025},
		{"slower by day", func(hour int) float64 {
			return bell(0.05) * (1 + 0.3*math.Sin(2*math.Pi*float64(hour)/24))
		}, 0.04, 0.025},
	}
	sizes := []int{MinUsual, MostUsual, 20, 30, 50}
	if testing.Short() {
		sizes = sizes[:2]
	}
	const rounds = 6000
	for _, noise := range noises {
		for _, n := range sizes {
			unusual, values := 0, make([]float64, n)
			for range rounds {
				hour := r.IntN(1000)
				for i := range values {
					values[i] = noise.value(hour - r.IntN(200))
				}
				if b := BandOf(values); b.Unusual(Known(noise.value(hour), 1)) {
					unusual++
				}
			}
			most := noise.atMost
			if n == MinUsual {
				most = noise.at10
			}
			share := float64(unusual) / rounds
			t.Logf("%-20s n=%-3d %.2f %%", noise.name, n, 100*share)
			testkit.That(t, share <= most+0.005,
				"%s, %d values: %.2f %% are unusual, promised %.2f %%", noise.name, n, 100*share, 100*most)
		}
	}
}

// TestUsualSeesAChange holds that a step of 1.6x is seen in noise of 10 %.
func TestUsualSeesAChange(t *testing.T) {
	r := testkit.Rand(t, 1)
	for _, n := range []int{MinUsual, 20, 45, MostUsual} {
		seen, values := 0, make([]float64, n)
		for range 1000 {
			for i := range values {
				values[i] = 170 * math.Exp(0.1*r.NormFloat64())
			}
			if b := BandOf(values); b.Above(Known(1.6*170*math.Exp(0.1*r.NormFloat64()), 1)) {
				seen++
			}
		}
		// Of many 72 % are seen of 10 values. With new seeds one run in a million fails
		// without a cause.
		_, most := stats.ShareInterval(seen, 1000, 1e-6)
		testkit.That(t, most >= 0.7, "of %d values: seen %d of 1000", n, seen)
	}
}

func TestBandEdges(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	some := func(n int) (values []float64) {
		for range n {
			values = append(values, 1+r.Float64())
		}
		return values
	}
	few, zero := BandOf(some(MinUsual-1)), BandOf(append(some(MinUsual), 0))
	testkit.That(t, !few.Known() && !zero.Known() && !few.Unusual(Known(1e9, 1)), "%+v %+v", few, zero)
	b := BandOf(some(MostUsual))
	testkit.That(t, b.N == MostUsual && 1 <= b.Low && b.Low < b.Median && b.Median < b.High && b.High <= 2+1e-9, "%+v", b)
	if b.Unusual(Unknown(WhyNoTokens)) || b.Above(Known(0.1, 1)) || !b.Below(Known(0.1, 1)) {
		t.Error(fmt.Sprint(b))
	}
	same := BandOf([]float64{5, 5, 5, 5, 5, 5, 5, 5, 5, 5})
	testkit.That(t, !same.Above(Known(5.4, 1)) && same.Above(Known(5.6, 1)) && !same.Below(Known(4.6, 1)), "%+v", same)
}
