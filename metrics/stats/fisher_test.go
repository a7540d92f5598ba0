package stats

import (
	"math"
	"slices"
	"testing"

	"tokscope/metrics/testkit"
)

// TestFisher compares with the tea tasting of Fisher (The Design of Experiments,
// 1935, §5 to 12) and with what R 4.2 and scipy 1.16 answer.
func TestFisher(t *testing.T) {
	for _, c := range []struct {
		s, m, u, n int
		p          float64
	}{
		{3, 4, 1, 4, 0.4857142857142857}, // tea: 34/70
		{4, 4, 0, 4, 2.0 / 70},
		{8, 10, 1, 6, 0.03496503496503495}, // the example of scipy.stats.fisher_exact
		{0, 10, 0, 20, 1},
		{5, 5, 7, 7, 1},
		{0, 0, 3, 7, 1},
		{0, 240, 3, 70, 70. * 69 * 68 / (310 * 309 * 308)}, // C(70,3)/C(310,3)
	} {
		near(t, "fisher", Fisher(c.s, c.m, c.u, c.n), c.p, 1e-9)
		near(t, "fisher of the failures' counterparts", Fisher(c.m-c.s, c.m, c.n-c.u, c.n), c.p, 1e-9)
	}
}

// TestFisherSumsAllTables compares with the sum over all tables, and takes no
// longer for a billion trials.
func TestFisherSumsAllTables(t *testing.T) {
	random := testkit.Rand(t, 14)
	for range 300 {
		m, n := 1+random.IntN(60), 1+random.IntN(60)
		s, u := random.IntN(m+1), random.IntN(n+1)
		hits, want := s+u, 0.0
		table := func(i int) float64 {
			return math.Exp(logChoose(m, i) + logChoose(n, hits-i) - logChoose(m+n, hits))
		}
		for i := max(0, hits-n); i <= min(m, hits); i++ {
			if table(i) <= table(s)*(1+1e-9) {
				want += table(i)
			}
		}
		near(t, "fisher", Fisher(s, m, u, n), min(want, 1), 1e-9)
	}
	testkit.Is(t, Fisher(5e8, 1e9, 5e8, 1e9), 1, "equal shares of a billion")
	p := Fisher(5e8, 1e9, 6e8, 1e9)
	testkit.That(t, p <= 1e-12, "unequal shares of a billion: %v", p)
	n := int(1e7)
	if long {
		n = 1e9 // takes a second
	}
	lo, hi := ShareInterval(n/2, n, 0.05)
	testkit.That(t, lo >= 0.4996 && hi <= 0.5004 && lo <= 0.5 && hi >= 0.5, "half of %d: %v to %v", n, lo, hi)
}

// TestFisherHoldsItsLevel: of two samples with the same share, at most 5 % differ;
// 2 and 30 % of 40 differ in 85 % and more.
func TestFisherHoldsItsLevel(t *testing.T) {
	random := testkit.Rand(t, 14)
	tries := 2000
	if long {
		tries = 100_000
	}
	differ := func(p, q float64) (count int) {
		for range tries {
			var s, u int
			for range 40 {
				if random.Float64() < p {
					s++
				}
				if random.Float64() < q {
					u++
				}
			}
			if Fisher(s, 40, u, 40) <= 0.05 {
				count++
			}
		}
		return count
	}
	found := differ(0.02, 0.3)
	t.Logf("shares 0.02 and 0.3: %d of %d differ", found, tries)
	testkit.That(t, float64(found) >= 0.85*float64(tries), "shares 0.02 and 0.3: %d of %d differ", found, tries)
	for _, share := range []float64{0.02, 0.2, 0.5} {
		wrong := differ(share, share)
		t.Logf("share %v: %d of %d differ", share, wrong, tries)
		testkit.That(t, float64(wrong) <= 0.05*float64(tries), "share %v: %d of %d differ", share, wrong, tries)
	}
}

// TestShareInterval compares with binom.test of R: 0 of 10, 5 of 10, 3 of 70.
func TestShareInterval(t *testing.T) {
	for _, c := range []struct {
		s, n   int
		lo, hi float64
	}{{0, 10, 0, 0.3084971}, {5, 10, 0.1870860, 0.8129140}, {10, 10, 0.6915029, 1}, {0, 0, 0, 1}} {
		lo, hi := ShareInterval(c.s, c.n, 0.05)
		near(t, "low end", lo, c.lo, 1e-6)
		near(t, "high end", hi, c.hi, 1e-6)
	}
}

// TestOrderInterval holds the smallest samples that bound a quantile, and that the
// interval covers it.
func TestOrderInterval(t *testing.T) {
	for q, want := range map[float64]int{0.5: 6, 0.9: 36, 0.95: 72, 0.99: 368} {
		xs := make([]float64, want)
		for i := range xs {
			xs[i] = float64(i)
		}
		if lo, hi := OrderInterval(xs, q, 0.05); math.IsInf(lo, 0) || math.IsInf(hi, 0) {
			t.Errorf("quantile %v of %d values: %v to %v", q, want, lo, hi)
		}
		if lo, hi := OrderInterval(xs[1:], q, 0.05); !math.IsInf(lo, 0) && !math.IsInf(hi, 0) {
			t.Errorf("quantile %v of %d values: %v to %v", q, want-1, lo, hi)
		}
	}
	random := testkit.Rand(t, 14)
	tries := 1000
	if long {
		tries = 20_000
	}
	for _, q := range []float64{0.5, 0.9} {
		for _, n := range []int{36, 100} {
			missed := 0
			for range tries {
				xs := make([]float64, n)
				for i := range xs {
					xs[i] = random.Float64() // its quantile q is q
				}
				slices.Sort(xs)
				if lo, hi := OrderInterval(xs, q, 0.05); q < lo || q > hi {
					missed++
				}
			}
			t.Logf("quantile %v of %d values: missed in %d of %d", q, n, missed, tries)
			testkit.That(t, float64(missed) <= 0.05*float64(tries)+3*math.Sqrt(0.05*0.95*float64(tries)),
				"quantile %v of %d values: missed in %d of %d", q, n, missed, tries)
		}
	}
}
