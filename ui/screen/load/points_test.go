package load

import (
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/ui/chart"
)

// The charts leave out a window while users leave or while the load is on
// hold: it is no figure of the requested users.
func TestOnlyAWindowOfItsUsersIsPlotted(t *testing.T) {
	for name, c := range map[string]struct {
		set  func(*loadstat.View)
		want bool
	}{
		"running": {func(*loadstat.View) {}, true},
		"leaving": {func(l *loadstat.View) { l.Target, l.Live.Users = 16, 16 }, false},
		"on hold": {func(l *loadstat.View) { l.Holding = true }, false},
		"growing": {func(l *loadstat.View) { l.Live.Warmup = true }, false},
		"ended":   {func(l *loadstat.View) { l.Running = false }, true},
		"open":    {func(l *loadstat.View) { l.Target, l.Live.Asked = 0, 3 }, true},
	} {
		v := scene(64)
		c.set(&v.Load)
		s := &picture{}
		s.refresh(v)
		testkit.That(t, s.now.live == c.want && len(s.now.points) == len(v.Load.Path)+map[bool]int{true: 1}[c.want],
			"%s: plotted %v, %d points", name, s.now.live, len(s.now.points))
	}
}

// Points of the ramp-up are not on the charts.
func TestTheWayThereIsNoPoint(t *testing.T) {
	v := scene(64)
	v.Load.Path = append(v.Load.Path, loadstat.Point{Users: 256, Warmup: true, Speed: metrics.Known(9999, 1),
		Total: metrics.Known(1e6, 1)})
	s := &picture{}
	s.refresh(v)
	for _, p := range s.now.points {
		testkit.That(t, !p.Warmup, "a point at %d users is on the charts", p.Users)
	}
}

// TestLinesOverUnmeasuredUsersAreDashed: a piece of a line is solid only
// between two steady points with no doubling left out.
func TestLinesOverUnmeasuredUsersAreDashed(t *testing.T) {
	at := func(users int, steady bool) *loadstat.Point { return &loadstat.Point{Users: users, Steady: steady} }
	for _, c := range []struct {
		a, b *loadstat.Point
		want bool
	}{
		{at(4, true), at(8, true), true}, {at(4, true), at(6, true), true}, {at(4, true), at(16, true), false},
		{at(4, false), at(8, true), false}, {at(4, true), at(8, false), false},
	} {
		if got := measured(c.a, c.b); got != c.want {
			t.Errorf("%d (steady %v) to %d (steady %v): solid %v", c.a.Users, c.a.Steady, c.b.Users, c.b.Steady, got)
		}
	}
}

// decoding is n users, of which waiting wait for a first chunk and the others
// decode with one gap.
func decoding(n, waiting int, gap float32) *View {
	v := scene(n)
	for i := range v.Load.Lanes {
		for j := range v.Load.Lanes[i].Past {
			v.Load.Lanes[i].Past[j] = loadstat.Slice{State: loadstat.LaneDecoding, Gap: gap}
			if i < waiting {
				v.Load.Lanes[i].Past[j] = loadstat.Slice{State: loadstat.LanePrefill}
			}
		}
	}
	return v
}

// newest is the last column of the summary below the lanes, from the bottom
// up.
func newest(t *testing.T, v *View) string {
	t.Helper()
	g := frame(v, 120, 41)
	x, top := find(t, g.Plain(), "all users")
	_, bottom := find(t, g.Plain(), "· waiting")
	column := x + 3 + 32 - 1 // after the numbers, 32 slices of 8 lanes have room at this size
	var b strings.Builder
	for y := bottom - 2; y > top; y-- { // a blank row is between
		s, _ := g.At(column, y)
		b.WriteString(s)
	}
	return b.String()
}

// The free rows sum up the lanes: higher with the gaps, and from above the
// users without a chunk, at least one if any.
func TestAllLanesTogether(t *testing.T) {
	short, long := newest(t, decoding(8, 0, 8)), newest(t, decoding(8, 0, 200))
	testkit.That(t, bars(long) > bars(short), "gaps of 200 ms: %q, of 8 ms: %q", long, short)
	for state, want := range map[loadstat.LaneState]string{loadstat.LaneStalled: "███", loadstat.LaneBackoff: "×××",
		loadstat.LaneIdle: "   "} {
		v := decoding(8, 0, 8)
		for i := range v.Load.Lanes {
			past := v.Load.Lanes[i].Past
			past[len(past)-1] = loadstat.Slice{State: state}
		}
		testkit.Is(t, newest(t, v), want, "all in state", state)
	}
	for waiting, want := range map[int]int{0: 0, 1: 1, 4: 2, 6: 2, 8: 3} { // of three rows
		testkit.Is(t, strings.Count(newest(t, decoding(8, waiting, 8)), "▒"), want, waiting, "of 8 wait: rows of 3")
	}
}

func bars(column string) int {
	return strings.Count(column, "█")*8 + strings.Count(column, "▄")*4 + strings.Count(column, "▇")*7
}

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
	testkit.Has(t, text, "TTFT over time", "TTFT, ms", "p50", "p95", "objective 60 ms",
		"first tokens of the last 30 s; p99 needs n ≥ 100")
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
	n := len(plot.Lines[1].Points)
	testkit.That(t, known == n-1, "%d of %d seconds have a p95, one has none", known, n)
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
		open := v.Load.Rate > 0
		testkit.That(t, seen[Waits] && seen[Curve] && seen[Queue] == open, "open loop %v: v shows %v", open, seen)
	}
}
