package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/ui/draw"
	"tokscope/ui/prompts"
	"tokscope/ui/screen"
)

func (r *harness) loadCalls() []string {
	var out []string
	for _, c := range r.b.Calls() {
		if strings.HasPrefix(c, "load") {
			out = append(out, strings.TrimPrefix(c, "load "))
		}
	}
	return out
}

// Opening and leaving a dialog does not change the workload.
func TestLeavingADialogKeepsTheWorkload(t *testing.T) {
	hot := 0.5
	w := prompts.Load()
	w.MaxTokens, w.System, w.Temperature = 77, "Be brief.", &hot
	play(t, "load", 120, 40, Options{Screens: screen.Options{LoadWork: w}}, func(r *harness) {
		r.do("tab space t esc p esc o esc x x space")
		testkit.Is(r, r.b.LoadView().Work, w, "it was …, now")
		r.do(`p " Why?" ctrl+r`)
		want := w
		want.Name, want.Prompt = prompts.Custom, w.Prompt+" Why?"
		testkit.Is(r, r.b.LoadView().Work, want, "edited")
	})
}

func TestTheMouseDragsTheSlider(t *testing.T) {
	play(t, "load", 120, 40, Options{Mouse: true}, func(r *harness) {
		r.do("tab space")
		x, y := r.locate("256")
		r.send(tea.MouseClickMsg{X: x + 1, Y: y, Button: tea.MouseLeft})
		r.do("> is:users 256")
		for i := range 30 {
			r.send(tea.MouseMotionMsg{X: x - i, Y: y, Button: tea.MouseLeft})
		}
		r.wait(100 * time.Millisecond)
		low := r.b.LoadView().Target
		if low >= 16 {
			r.Errorf("dragged far to the left there are still %d users", low)
		}
		r.send(tea.MouseReleaseMsg{X: 2, Y: y})
		r.send(tea.MouseMotionMsg{X: x, Y: y})
		r.wait(100 * time.Millisecond)
		testkit.Is(r, r.b.LoadView().Target, low, "released, the slider still follows")
	})
}

// TestAFrozenSliderStandsAtItsFigures checks that a change of a frozen load is named
// and does not move the slider: its state and figures belong to the frozen setting.
func TestAFrozenSliderStandsAtItsFigures(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {100, 30}, {120, 40}} {
		play(t, "load", size[0], size[1], Options{}, func(r *harness) {
			slider := func() string {
				before, _, _ := strings.Cut(r.screen(), "◆")
				return before[strings.LastIndex(before, "\n")+1:]
			}
			r.do("tab space wait:3s f > not steady")
			before := slider()
			r.do("right right wait:2s > now 4 users")
			testkit.Is(t, slider(), before, size, "the frozen slider was")
			r.do("left left > not steady | !now 1 user | !now 4 users")
			r.do(`u "40/s" enter > now 40 req/s`)
			r.do("f > !now 40 req/s")
		})
	}
}

// TestAsideChangesNothing checks that asking a screen for its aside changes neither
// its picture nor what the backend does: only Sample takes new figures.
func TestAsideChangesNothing(t *testing.T) {
	play(t, "load", 120, 40, Options{}, func(r *harness) {
		r.do("tab space right right wait:1s 1")
		picture := func(s screen.Screen) string {
			g := draw.New(120, 38)
			s.Draw(g, g.Bounds())
			return g.Plain()
		}
		for _, s := range r.m.screens.all {
			before := picture(s)
			r.b.LoadDrive(loadstat.Drive{Users: 64})
			r.b.Advance(time.Second)
			calls := len(r.b.Calls())
			_ = s.Aside()
			if picture(s) != before || len(r.b.Calls()) != calls {
				t.Errorf("the aside of %s changed it", s.Name())
			}
		}
		got := r.m.screens.all[r.m.screens.find(screen.Load)].Aside()
		testkit.That(t, got == "64 users at load", "the aside of a load of 64 users is %q", got)
	})
}
