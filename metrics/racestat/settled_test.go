package racestat

import (
	"math"
	"math/rand/v2"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/figure"
)

// TestSettled races lanes whose TTFT differs, and whose longest gaps vary too much to tell or do
// not differ: races end soon after their winner is known, none goes on to the bound for the gap
// alone, most wait for a TPOT that is 1.1x, and of gaps that do not differ no more than Level
// are called different.
func TestSettled(t *testing.T) {
	const races, most = 300, 30
	for lanes, want := range map[int]int{2: 11, 3: 12, 6: 15} {
		if n := NeedsPairs(lanes); n != want {
			t.Errorf("%d lanes need %d pairs, want %d", lanes, n, want)
		}
	}
	rng := rand.New(rand.NewPCG(28, 8))
	var pairs, wrong, atBound, without int
	for range races {
		b := NewBoard(2, Level, Band, most)
		n := 0
		for n < most && !Settled(b.Verdicts()) {
			r := &Round{N: n + 2, Order: rng.Perm(2), Results: make([]Result, 2)}
			for lane := range r.Results {
				for _, of := range []struct {
					figure      figure.ID
					apart, vary float64
				}{{figure.TTFT, 1, 0.1}, {figure.TPOT, 0.1, 0.05}, {figure.Total, 0.3, 0.05}, {figure.Longest, 0, 0.7}} {
					x := 100 * math.Exp(of.apart*float64(lane)+of.vary*rng.NormFloat64())
					r.Results[lane].Values[of.figure] = metrics.Known(x, 1)
				}
			}
			b.Add(r)
			n++
		}
		pairs += n
		if n == most {
			atBound++
		}
		for _, v := range b.Verdicts() {
			switch {
			case v.Figure == figure.Longest && v.State == Decided:
				wrong++
			case v.Figure == figure.TPOT && v.State != Decided:
				without++
			case v.Figure == figure.TTFT && v.State != Decided:
				t.Fatalf("a race ended after %d pairs without a winner: %+v", n, v)
			}
		}
	}
	t.Logf("%.1f pairs, %d of %d at the bound, %d without a winner in TPOT, %d wrong", float64(pairs)/races, atBound,
		races,
		without, wrong)
	if pairs > 18*races || atBound > races/10 || without > races/3 || float64(wrong) > Level*races {
		t.Errorf("%.1f pairs, %d at the bound, %d without TPOT, %d wrong of %d", float64(pairs)/races, atBound, without,
			wrong, races)
	}
}
