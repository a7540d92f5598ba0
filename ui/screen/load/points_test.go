package load

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
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
		if s.now.live != c.want || len(s.now.points) != len(v.Load.Path)+map[bool]int{true: 1}[c.want] {
			t.Errorf("%s: plotted %v, %d points", name, s.now.live, len(s.now.points))
		}
	}
}

// Points of the ramp-up are not on the charts.
func TestTheWayThereIsNoPoint(t *testing.T) {
	v := scene(64)
	v.Load.Path = append(v.Load.Path, loadstat.Point{Users: 256, Warmup: true, Speed: metrics.Known(9999, 1), Total: metrics.Known(1e6, 1)})
	s := &picture{}
	s.refresh(v)
	for _, p := range s.now.points {
		if p.Warmup {
			t.Errorf("a point at %d users is on the charts", p.Users)
		}
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
