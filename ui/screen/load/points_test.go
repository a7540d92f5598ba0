package load

import (
	"strings"
	"testing"

	"tokscope/metrics"
)

// What a window holds while other users still leave, or on hold while what runs
// ends, is no figure of the users asked for: the charts leave it out.
func TestOnlyAWindowOfItsUsersIsPlotted(t *testing.T) {
	for name, c := range map[string]struct {
		set  func(*metrics.LoadView)
		want bool
	}{
		"running": {func(*metrics.LoadView) {}, true},
		"leaving": {func(l *metrics.LoadView) { l.Target, l.Live.Users = 16, 16 }, false},
		"on hold": {func(l *metrics.LoadView) { l.Holding = true }, false},
		"ended":   {func(l *metrics.LoadView) { l.Running = false }, true},
		"open":    {func(l *metrics.LoadView) { l.Target, l.Live.Asked = 0, 3 }, true},
	} {
		v := scene(64)
		c.set(&v.Load)
		s := New()
		s.refresh(v)
		if s.now.live != c.want || len(s.now.points) != len(v.Load.Path)+map[bool]int{true: 1}[c.want] {
			t.Errorf("%s: plotted %v, %d points", name, s.now.live, len(s.now.points))
		}
	}
}

// The sentence is whole on a screen of 80 columns, steady or not.
func TestTheSentenceIsWhole(t *testing.T) {
	v := scene(256)
	v.Load.Live.Steady = false
	for _, size := range [][2]int{{80, 24}, {40, 12}} {
		if text := strings.Join(strings.Fields(frame(v, size[0], size[1]).Plain()), " "); !strings.Contains(text, "not steady yet; one alone had 151") {
			t.Errorf("%v: %s", size, text[:120])
		}
	}
}
