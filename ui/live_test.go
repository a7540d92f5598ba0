package ui

import (
	"image/color"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/themes"
)

func TestTheClockBeatsAtItsRate(t *testing.T) {
	for _, c := range []struct {
		o        Options
		min, max int
	}{
		{Options{}, 28, 34},
		{Options{FPS: 15}, 14, 18},
		{Options{ReducedMotion: true}, 4, 6},
	} {
		play(t, "live", 120, 40, c.o, func(r *harness) {
			r.do("space sent drain")
			n := r.updates
			r.wait(time.Second)
			got := r.updates - n
			testkit.That(t, got >= c.min && got <= c.max, "%+v: %d frames a second", c.o, got)
			r.press("x")
		})
	}
}

func TestTheThemeFollowsTheTerminal(t *testing.T) {
	play(t, "live", 80, 24, colours, func(r *harness) {
		testkit.That(t, r.m.surface.palette.Theme().Dark, "it does not start dark")
		r.send(tea.BackgroundColorMsg{Color: color.White})
		if p := r.m.surface.palette; p.Theme().Dark || strings.Contains(p.SGR(themes.Text), ";48;") {
			t.Errorf("on a light terminal: %q, ink %q", p.Theme().Name, p.SGR(themes.Text))
		}
		r.do(`t "midnight" enter`)
		ground := strings.Contains(r.m.surface.palette.SGR(themes.Text), ";48;2;")
		testkit.That(t, ground && strings.Contains(r.m.written(), ";48;2;"),
			"a dark theme on a light terminal brings no ground")
	})
}

func TestAFloodOfTheWheelIsOneFrame(t *testing.T) {
	play(t, "live", 120, 40, colours, func(r *harness) {
		r.press("?")
		n := r.updates
		for range 500 {
			r.update(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
		}
		got := r.updates - n
		testkit.That(t, got <= 2, "%d updates for a flood", got)
		r.do("wait:200ms > redraw the screen")
	})
}

// TestEveryPaceIsReached checks that r goes round the paces.
func TestEveryPaceIsReached(t *testing.T) {
	play(t, "live", 120, 40, colours, func(r *harness) {
		r.do("space stream:60")
		seen := map[string]bool{}
		for range metrics.Paces {
			for _, p := range metrics.Paces {
				seen[p.Name] = seen[p.Name] || strings.Contains(r.screen(), p.Name+" ")
			}
			r.press("r")
		}
		testkit.That(t, !slices.ContainsFunc(metrics.Paces, func(p metrics.Pace) bool { return !seen[p.Name] }),
			"of the paces were seen: %v", seen)
		r.do("> 238 wpm") // round
	})
}
