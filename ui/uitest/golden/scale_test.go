package golden

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// TestScaleReachesEveryFigure checks figures in fields, slices and behind
// pointers, and that the original of a shared slice keeps its own.
func TestScaleReachesEveryFigure(t *testing.T) {
	type inner struct{ A metrics.Value }
	type view struct {
		A      metrics.Value
		Rows   []inner
		Alone  *inner
		None   *inner
		Pair   [2]metrics.Value
		hidden metrics.Value
	}
	one := metrics.Known(1, 1)
	old := view{A: one, Rows: []inner{{one}}, Alone: &inner{one}, Pair: [2]metrics.Value{one,
		metrics.Unknown(metrics.WhyNotMeasured)}, hidden: one}
	v := old
	Scale(&v, 1000)
	for name, got := range map[string]float64{"field": v.A.V, "slice": v.Rows[0].A.V, "pointer": v.Alone.A.V,
		"array": v.Pair[0].V} {
		testkit.That(t, got == 1000, "%s: %v", name, got)
	}
	testkit.That(t, old.Rows[0].A.V == 1 && old.Alone.A.V == 1 && v.hidden.V == 1 && !v.Pair[1].OK,
		"more than the figures of the copy changed: %+v", old)
}
