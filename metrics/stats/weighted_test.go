package stats

import (
	"slices"
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

// Values of equal weight are sorted as those of different ones.
func TestSortWeighted(t *testing.T) {
	r := testkit.Rand(t, 2)
	var buf []float64
	for range 200 {
		weights := 1 + r.IntN(2)
		x := make([]Weighted, r.IntN(40))
		for i := range x {
			x[i] = Weighted{float64(r.IntN(20)) / 4, float64(1 + r.IntN(weights))}
		}
		want := slices.Clone(x)
		slices.SortFunc(want, Weighted.Compare)
		if SortWeighted(x, &buf); !slices.Equal(x, want) {
			t.Fatalf("%v, want %v", x, want)
		}
	}
}

// BenchmarkSortWeighted checks that values of equal weight are sorted as values:
// each end of a stream sorts two such lists.
func BenchmarkSortWeighted(b *testing.B) {
	const most = 0.75
	r := testkit.Rand(b, 3)
	from := make([]Weighted, 250)
	for i := range from {
		from[i] = Weighted{20 + r.NormFloat64(), 1}
	}
	x, buf := make([]Weighted, len(from)), []float64(nil)
	ours := func() {
		copy(x, from)
		SortWeighted(x, &buf)
	}
	theirs := func() {
		copy(x, from)
		slices.SortFunc(x, Weighted.Compare)
	}
	for b.Loop() {
		share := testkit.Ratio(time.Now, ours, theirs)
		if b.ReportMetric(share, "of-weighted"); share > most {
			b.Fatalf("sorting values takes %.2f of sorting them with their weights, more than %v", share, most)
		}
	}
}
