package metrics

import (
	"slices"
	"testing"

	"tokscope/metrics/testseed"
)

// What is pooled comes out in the order of one sort of everything, whether all
// weigh the same or not, and its distribution is that of the list as a whole.
func TestPooledIsOneSample(t *testing.T) {
	r := testseed.Rand(t, 5)
	lists, plain := 0, 0
	for range 300 {
		n, weights := r.IntN(3*partLen), 1+r.IntN(3)/2
		p := pooled{want: r.IntN(n + 1)}
		draw := func(n int) []weighted {
			x := make([]weighted, n)
			for i := range x {
				x[i] = weighted{float64(r.IntN(400)) / 8, float64(1+r.IntN(weights)) / 2}
			}
			return x
		}
		all := draw(n)
		for _, e := range all {
			p.add(e)
		}
		if p.len() != n {
			t.Fatalf("%d of %d values", p.len(), n)
		}
		p.sort()
		if p.list != nil {
			lists++
		} else {
			plain++
		}
		slices.SortFunc(all, compareWeighted)
		if got := p.weighted(); !slices.Equal(got, all) {
			t.Fatalf("%v, want %v", got, all)
		}
		others := draw(r.IntN(40))
		slices.SortFunc(others, compareWeighted)
		all = append(all, others...)
		slices.SortFunc(all, compareWeighted)
		parts := p.parts(others)
		var joined []weighted
		for part := range parts {
			joined = append(joined, part...)
		}
		if !slices.Equal(joined, all) {
			t.Fatalf("%v, want %v", joined, all)
		}
		if got, want := partsDist(parts, 1.5, len(all), WhyNoGap), weightedDist(all, 1.5, len(all), WhyNoGap); got != want {
			t.Fatalf("%+v, want %+v", got, want)
		}
	}
	if lists == 0 || plain == 0 {
		t.Errorf("%d lists, %d of plain values", lists, plain)
	}
}
