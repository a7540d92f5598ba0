package ui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/ui/screen"
	"tokscope/ui/screen/registry"
)

// TestAnEarlyKeyMeetsTheOpeningScreen: the first frame is the opening screen's. A
// key right after it, or before it, acts on that screen, which has been started.
// What Init returned is carried out later, as on a busy machine.
func TestAnEarlyKeyMeetsTheOpeningScreen(t *testing.T) {
	request, tour := Options{Start: true}, Options{Start: true, First: screen.Explain}
	replay, load := Options{Start: true, First: screen.Replay}, Options{Start: true, First: screen.LoadReplay}
	for _, c := range []struct {
		o          Options
		first, key string // first is on the first frame
		shown      screen.Name
		sees       string
		calls      string // of the backend: a replay sends nothing
	}{
		{replay, "of 1.12 s", "tab", screen.LoadReplay, "╭ recorded load", ""},
		{replay, "of 1.12 s", "1", screen.Live, "replay paused", ""},
		{replay, "of 1.12 s", "-", screen.Replay, "paused 0.5x", ""},
		{load, "load 4", "tab", screen.Replay, "of 1.12 s", ""},
		{tour, "lesson 1 of", "n", screen.Explain, "lesson 2 of", "explain open, tour go 1, tour go 2"},
		{request, "4 Explain", "4", screen.Explain, "T tour", "begin, explain open"},
		{request, "1 Live", "2", screen.Load, "╭ users", "begin, objectives"},
		{request, "x stop", "x", screen.Live, "stopped", "begin, stop"},
	} {
		for _, before := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				b := newBackend(t)
				b.SetReplay(file, recordedRun(11, 7*time.Millisecond))
				b.SetLoads(recordedLoad(4, 44, nil))
				r := newHarness(t, New(registry.All(), only(b, "replay"), c.o), b)
				defer r.end()
				later, size := r.m.Init(), tea.WindowSizeMsg{Width: 120, Height: 40}
				if before {
					r.update(keyOf(c.key))
				}
				r.update(size)
				if !before {
					r.sees(c.first)
					r.update(keyOf(c.key))
				}
				r.spawn(later)
				r.wait(time.Second)
				if calls := strings.Join(b.Calls(), ", "); r.shown() != c.shown || calls != c.calls {
					t.Errorf("%q on %q, before the first frame: %v, shows %s; calls: %s", c.key, c.o.First, before, r.shown(), calls)
				}
				r.sees(c.sees)
				if c.key == "4" {
					r.seesNot("lesson 1 of")
				}
			})
		}
	}
}
