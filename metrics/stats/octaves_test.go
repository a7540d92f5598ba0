package stats

import (
	"math"
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

// coarse is the grid of lags.
var coarse = Octaves{Low: -14, High: 17, Per: 8}

// TestBinIsTheLogarithm: a bin is that of the logarithm. Within a billionth of an
// edge, where rounding decides, it may be the next one.
func TestBinIsTheLogarithm(t *testing.T) {
	r := testkit.Rand(t, 1)
	for _, o := range []Octaves{coarse, grid} {
		last := (o.High-o.Low)*o.Per - 1
		want := func(ms float64) int {
			i := math.Floor((math.Log2(ms) - float64(o.Low)) * float64(o.Per))
			return int(min(max(i, 0), float64(last)))
		}
		for range 200_000 {
			ms := math.Exp2(float64(o.Low-3) + r.Float64()*float64(o.High-o.Low+6))
			if got := o.Bin(ms); got != want(ms) && got != want(ms*(1+1e-9)) && got != want(ms*(1-1e-9)) {
				t.Fatalf("%v: %v ms is in bin %d, not in %d", o, ms, got, want(ms))
			}
		}
		for i := 1; i <= last; i++ {
			if o.Bin(o.edge(i)*(1+1e-9)) != i || o.Bin(o.edge(i)*(1-1e-9)) != i-1 {
				t.Errorf("%v: at edge %d are bins %d and %d", o, i, o.Bin(o.edge(i)*(1-1e-9)), o.Bin(o.edge(i)*(1+1e-9)))
			}
		}
		for octave := o.Low; octave < o.High; octave++ { // whole octaves are exact
			testkit.Is(t, o.Bin(math.Ldexp(1, octave)), (octave-o.Low)*o.Per, o, "2^", octave, "is in bin")
		}
		for ms, want := range map[float64]int{0: 0, -1: 0, math.Inf(-1): 0, 5e-324: 0, math.MaxFloat64: last,
			math.Inf(1): last} {
			testkit.Is(t, o.Bin(ms), want, o, ms, "is in bin")
		}
		testkit.Is(t, o.Bin(math.NaN()), 0, o, "NaN is in bin")
		testkit.Is(t, finePer%o.Per, 0, o, o.Per, "bins an octave are not joined from", finePer)
	}
}

// BenchmarkBin checks that a bin costs less than the logarithm that it stands
// for: every chunk takes three.
func BenchmarkBin(b *testing.B) {
	const most = 0.7
	ms := [8]float64{0.011, 0.023, 0.4, 19.8, 20.1, 7, 1.4, 0.3}
	sum := 0
	table := func() {
		for _, v := range ms {
			sum += coarse.Bin(v)
		}
	}
	logarithm := func() {
		for _, v := range ms {
			sum += int(math.Floor((math.Log2(v) + 14) * 8))
		}
	}
	for b.Loop() {
		r := testkit.Ratio(time.Now, table, logarithm)
		if b.ReportMetric(r, "of-log2"); r > most {
			b.Fatalf("a bin takes %.2f of its logarithm, more than %v", r, most)
		}
	}
	if sum == 0 {
		b.Error("nothing was computed")
	}
}
