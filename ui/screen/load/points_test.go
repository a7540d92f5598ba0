package load

import (
	"strings"
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
		s := newPicture()
		s.refresh(v)
		if s.now.live != c.want || len(s.now.points) != len(v.Load.Path)+map[bool]int{true: 1}[c.want] {
			t.Errorf("%s: plotted %v, %d points", name, s.now.live, len(s.now.points))
		}
	}
}

// Points of the ramp-up are not on the charts. The mark of one user shows
// whether its point was steady.
func TestTheWayThereIsNoPoint(t *testing.T) {
	v := scene(64)
	v.Load.Path = append(v.Load.Path, loadstat.Point{Users: 256, Warmup: true, Speed: metrics.Known(9999, 1), Total: metrics.Known(1e6, 1)})
	s := newPicture()
	s.refresh(v)
	for _, p := range s.now.points {
		if p.Warmup {
			t.Errorf("a point at %d users is on the charts", p.Users)
		}
	}
	v = scene(64)
	v.Load.Alone = nil
	for i := range v.Load.Path {
		if p := &v.Load.Path[i]; p.Users == 1 {
			p.Steady = false
		}
	}
	if text := frame(v, 120, 40).Plain(); !strings.Contains(text, "1 ○ 151") || !strings.Contains(text, "×26 ○") || !strings.Contains(text, "at 64 users vs 1 ○") || !strings.Contains(text, "1 user: 151 (settling)") {
		t.Errorf("one user's hollow figure is not marked:\n%s", text)
	}
}

// The sentence is whole on a screen of 80 columns, steady or not.
func TestTheSentenceIsWhole(t *testing.T) {
	v := scene(256)
	v.Load.Live.Steady = false
	for _, size := range [][2]int{{80, 24}, {40, 12}} {
		if text := strings.Join(strings.Fields(frame(v, size[0], size[1]).Plain()), " "); !strings.Contains(text, "not steady; 1 user: 151") {
			t.Errorf("%v: %s", size, text[:120])
		}
	}
}
