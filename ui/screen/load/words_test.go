package load

import (
	"strings"
	"testing"

	"tokscope/metrics"
)

// plain is the picture of v as words, without the frames of the panels.
func plain(v *View, w, h int) string {
	return strings.Join(strings.Fields(strings.NewReplacer("│", " ").Replace(frame(v, w, h).Plain())), " ")
}

// Whatever the size from 72 columns on, the state of the load and how many
// wait are there in full.
func TestTheStateIsAlwaysThere(t *testing.T) {
	for state, set := range map[string]func(*metrics.LoadView){
		"● steady":     func(*metrics.LoadView) {},
		"○ not steady": func(l *metrics.LoadView) { l.Live.Steady = false },
		"held":         func(l *metrics.LoadView) { l.Holding = true },
		"broken off":   func(l *metrics.LoadView) { l.Broken, l.Running = "why", false },
	} {
		for _, w := range []int{80, 99, 101, 110, 117, 118, 119, 130} {
			for _, h := range []int{24, 33, 40} {
				v := scene(16)
				set(&v.Load)
				text := plain(v, w, h)
				if !strings.Contains(strings.Split(text, "per-user falls")[0], state) || !strings.Contains(text, "waiting 0") {
					t.Fatalf("%dx%d: no %q:\n%s", w, h, state, frame(v, w, h).Plain())
				}
			}
		}
	}
}

// Why a load was broken off can be read to its end, also where its lanes are
// still shown.
func TestTheReasonOfABreakIsWhole(t *testing.T) {
	v := scene(8)
	v.Load.Running = false
	v.Load.Broken = "the load was stopped because the last 22 requests all failed, with reset; the last one: the connection was reset by the server"
	v.Load.Stopped = v.Load.Broken
	for _, size := range [][2]int{{80, 24}, {110, 32}, {120, 40}} {
		rows := strings.Split(frame(v, size[0], size[1]).Plain(), "\n")
		var right []string // what stands at the right of the charts
		for _, row := range rows {
			if parts := strings.Split(row, "││"); len(parts) == 2 {
				right = append(right, strings.Fields(strings.TrimRight(parts[1], "│"))...)
			}
		}
		if text := strings.Join(right, " "); !strings.Contains(text, "with reset; the last one: the connection was reset by the server") {
			t.Errorf("%v: %s", size, text)
		}
	}
}
