package metrics

import (
	"math"
	"testing"

	"tokscope/metrics/testkit"
)

// The figures of numpy.percentile(x, q) and numpy.std(x, ddof=1).
func TestDistributionIsNumpys(t *testing.T) {
	x := make([]float64, 0, 101)
	for i := range 101 {
		x = append(x, float64(i*i))
	}
	d := Distribution(x)
	near(t, "p50", d.P50, 2500)
	near(t, "p90", d.P90, 8100)
	near(t, "p95", d.P95, 9025)
	near(t, "p99", d.P99, 9801)
	near(t, "mean", d.Mean, 3350)
	near(t, "min", d.Min, 0)
	near(t, "max", d.Max, 10000)
	d = Distribution([]float64{4, 1, 3, 2})
	near(t, "p50 of four", d.P50, 2.5)
	near(t, "deviation", d.StdDev, math.Sqrt(5.0/3))
	x = []float64{15, 20, 35, 40, 50, 55, 60, 65, 70, 75}
	near(t, "p90 of ten", Distribution(x).P90, 70.5)
}

func TestPercentilesAreWithheld(t *testing.T) {
	for _, c := range []struct {
		n                  int
		p50, p90, p95, p99 bool
	}{
		{0, false, false, false, false},
		{1, true, false, false, false},
		{9, true, false, false, false},
		{10, true, true, false, false},
		{19, true, true, false, false},
		{20, true, true, true, false},
		{99, true, true, true, false},
		{100, true, true, true, true},
	} {
		d := Distribution(make([]float64, c.n))
		testkit.That(t, d.P50.OK == c.p50 && d.P90.OK == c.p90 && d.P95.OK == c.p95 && d.P99.OK == c.p99,
			"n = %d: given p50 %v p90 %v p95 %v p99 %v", c.n, d.P50.OK, d.P90.OK, d.P95.OK, d.P99.OK)
	}
	unknown(t, "p90 of three", Distribution([]float64{1, 2, 3}).P90, Needs(10))
}

func TestHistogram(t *testing.T) {
	h := NewHistogram(0.1, 1000, 4)
	testkit.Given(t, len(h.Counts) == 16, "%d bins, want 4 for each of 4 decades", len(h.Counts))
	for _, v := range []float64{0, -1, 0.05, 0.1, 1, 1.7, 1.8, 999, 1000, 1e9, math.NaN(), math.Inf(1)} {
		h.Add(v)
	}
	testkit.That(t, h.N == 11 && h.Below == 3 && h.Above == 3,
		"n %d under %d over %d, want 11, 3, 3", h.N, h.Below, h.Above)
	for bin, want := range map[int]int{0: 1, 4: 2, 5: 1, 15: 1} {
		if h.Counts[bin] != want {
			t.Errorf("bin %d from %v holds %d, want %d", bin, h.Edge(bin), h.Counts[bin], want)
		}
	}
	// An edge belongs to the bin above it, for every bin.
	for i := range h.Counts {
		if got := h.bin(h.Edge(i)); got != i {
			t.Errorf("edge %d (%v) falls into bin %d", i, h.Edge(i), got)
		}
	}
	if h.Reset(); h.N != 0 || h.Top() != 0 {
		t.Error("not empty after Reset")
	}
	for _, bad := range [][2]float64{{0, 0}, {-1, math.Inf(1)}, {math.NaN(), 5}, {10, 1}} {
		if h := NewHistogram(bad[0], bad[1], 0); len(h.Counts) == 0 || !(h.Low > 0) {
			t.Errorf("NewHistogram(%v) = %+v", bad, h)
		}
	}
}
