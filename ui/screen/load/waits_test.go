package load

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/ui/chart"
)

// TestWaitsChart holds that the chart of TTFT over time has a line for each
// percentile, broken where it is unknown, and says why the last one is missing.
func TestWaitsChart(t *testing.T) {
	v := scene(8)
	v.Kind = Waits
	v.Load.SLOs = []slo.Objective{{Name: "ttft", Limit: 60}, {Name: "tpot", Limit: 20}}
	for i := range v.Load.Series {
		q := &v.Load.Series[i]
		q.TTFTs = [3]metrics.Value{metrics.Known(40, 25), metrics.Known(50, 25), metrics.Unknown(metrics.Needs(100))}
	}
	v.Load.Series[50].TTFTs[1] = metrics.Unknown(metrics.Needs(20))
	text := frame(v, 120, 40).Plain()
	testkit.Has(t, text, "TTFT over time", "TTFT, ms", "p50", "p95", "objective 60 ms", "first tokens of the last 30 s; p99 needs n ≥ 100")
	s, g := &picture{}, frame(v, 120, 40)
	s.Draw(g, g.Bounds(), v)
	var plot chart.Plot
	s.charts.waits(&s.canvas, &plot)
	known := 0
	for _, q := range plot.Lines[1].Points {
		if q.Y >= 0 {
			known++
		}
	}
	if n := len(plot.Lines[1].Points); known != n-1 {
		t.Errorf("%d of %d seconds have a p95, one has none", known, n)
	}
}

// TestWaitsAreReached holds that v leads to the chart and on, in a closed loop
// and in an open one.
func TestWaitsAreReached(t *testing.T) {
	for _, v := range []*View{scene(8), overloadScene()} {
		v.Kind = Curve
		e := Screen{view: *v}
		seen := map[Kind]bool{}
		for range Kinds {
			e.nextChart()
			seen[e.view.Kind] = true
		}
		if open := v.Load.Rate > 0; !seen[Waits] || !seen[Curve] || seen[Queue] != open {
			t.Errorf("open loop %v: v shows %v", open, seen)
		}
	}
}
