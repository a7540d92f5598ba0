package metrics

import (
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
)

// TestGapHistogramHasAllGaps holds that a histogram of gaps counts the known gaps
// of all requests that ended well, each in its bin, and those of trimmed ones too.
func TestGapHistogramHasAllGaps(t *testing.T) {
	runs := make([]Run, 6)
	for i := range runs {
		p := newPlay().every(1000, 10+float64(i), 40, "word ").done()
		runs[i] = Run{Stream: p.Stream, Figures: p.measure()}
	}
	runs[5].Stream.State = Failed
	for _, room := range []int{1 << 20, 0} {
		list := append([]Run(nil), runs...)
		trimmer := Trimmer{Room: room}
		for i := range list {
			trimmer.Add(&list[i])
		}
		s := Summarize(list)
		h := HistogramOver(s.Gaps.Min.V, s.Gaps.Max.V, 16)
		h.AddGaps(list)
		testkit.That(t, h.N == s.Gaps.N && h.N == 5*39 && h.Below+h.Above <= 0,
			"room for %d: %d gaps, %d below, %d above; the summary has %d", room, h.N, h.Below, h.Above, s.Gaps.N)
		for i, n := range h.Counts {
			for ms := 10.0; ms < 15; ms++ {
				if inside := ms >= h.Edge(i) && ms < h.Edge(i+1); inside && n < 39 {
					t.Errorf("room for %d: %d gaps from %v to %v ms, at least 39 of %v ms are there", room, n, h.Edge(i), h.Edge(i+1),
						ms)
				}
			}
		}
	}
}

// TestHistogramOver holds that the bins cover what they are made for, in no more
// rows than there is room for, also where they begin or end at an edge of the grid.
func TestHistogramOver(t *testing.T) {
	tens := rapid.SampledFrom([]float64{1e-3, 1e-2, 0.1, 1, 10, 100, 1e3, 1e4, 1e5})
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.OneOf(rapid.Float64Range(1e-3, 1e5), tens).Draw(t, "low")
		high := max(low, rapid.OneOf(rapid.Float64Range(low, 1e4*low), tens).Draw(t, "high"))
		h := HistogramOver(low, high, 16)
		h.Add(low)
		h.Add(high)
		if h.Below+h.Above > 0 || len(h.Counts) > 16 {
			t.Fatalf("%v to %v: %d bins from %v to %v, %d below, %d above", low, high, len(h.Counts), h.Low,
				h.Edge(len(h.Counts)), h.Below, h.Above)
		}
	})
}

// TestCentralLeavesOutTails holds that at most the share of the values lies on
// each side of the range, and that a narrower one would leave out more.
func TestCentralLeavesOutTails(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(1, 1000), 1, 400).Draw(t, "values")
		share := rapid.Float64Range(0, 0.5).Draw(t, "share")
		h := NewHistogram(1, 1001, 20)
		for _, v := range values {
			h.Add(v)
		}
		low, high := h.Central(share)
		below, above, first, last := 0, 0, 0, 0
		for i, n := range h.Counts {
			switch mid := (h.Edge(i) + h.Edge(i+1)) / 2; {
			case mid < low:
				below += n
			case mid > high:
				above += n
			default:
				if last = n; first == 0 {
					first = n
				}
			}
		}
		most := share * float64(len(values))
		testkit.Given(t, float64(below) <= most && float64(above) <= most,
			"%d below and %d above of %d, at most %v of them", below, above, len(values), share)
		if one := high/low < 1.2; !one && (float64(below+first) <= most || float64(above+last) <= most) {
			t.Fatalf("%v to %v is too wide: %d+%d below, %d+%d above of %d, at most %v of them", low, high, below, first, above,
				last, len(values), share)
		}
	})
}
