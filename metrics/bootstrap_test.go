package metrics

import (
	"runtime"
	"testing"

	"tokscope/metrics/testseed"
)

// TestBootstrapSharesDraws: figures of equally many values share what is drawn,
// and each has the interval that it has alone.
func TestBootstrapSharesDraws(t *testing.T) {
	r := testseed.Rand(t, 1)
	figure := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(r.IntN(50))
		}
		return x
	}
	var b bootstrap
	for _, n := range []int{40, 40, 41, 41, 5, 40} {
		x := figure(n)
		lo, hi := b.median(x, 7, 200)
		if wantLo, wantHi := BootstrapMedian(x, 7, 200); lo != wantLo || hi != wantHi {
			t.Errorf("%d values: %v to %v with shared draws, %v to %v alone", n, lo, hi, wantLo, wantHi)
		}
	}
	for i := range b.middles { // draws that are used again show in the interval
		b.middles[i] = middle{}
	}
	x := figure(40)
	x[0] = -1
	if lo, hi := b.median(x, 7, 200); lo.V != -1 || hi.V != -1 {
		t.Errorf("%v to %v: the second figure drew again", lo, hi)
	}
	if lo, hi := b.median(x, 8, 200); lo.V == -1 && hi.V == -1 {
		t.Error("another seed had the draws of the first")
	}
}

// TestSummaryDrawsOnce: the nine figures of a summary share what is drawn. The
// draws of each would take 32 kB.
func TestSummaryDrawsOnce(t *testing.T) {
	const most = 150 << 10
	runs := make([]Run, 40)
	for i := range runs {
		v := Known(float64(i), 1)
		runs[i] = Run{
			Stream:  Stream{State: Done, Marks: NewMarks()},
			Figures: Figures{TTFB: v, TTFT: v, TTFC: v, TPOT: v, Speed: v, Total: v, WPM: v, Longest: v, Peak: v},
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s := Summarize(runs)
	runtime.ReadMemStats(&after)
	if !s.TTFB.Low.OK || !s.Peak.High.OK || s.TTFB.Low != s.Peak.Low {
		t.Errorf("intervals of equal figures: %+v and %+v", s.TTFB, s.Peak)
	}
	if taken := after.TotalAlloc - before.TotalAlloc; taken > most {
		t.Errorf("a summary of %d runs takes %d bytes, at most %d", len(runs), taken, most)
	} else {
		t.Logf("%d bytes", taken)
	}
}
