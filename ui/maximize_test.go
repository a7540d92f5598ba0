package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// boxes is how many boxes the screen shows: their upper left corners.
func (r *harness) boxes() int { return strings.Count(r.screen(), "╭") }

// maximizes presses Z at several sizes and checks that one box is left that
// has one of the titles, that the footer names the way back, and that the
// screen is as before after Z and after esc.
func (r *harness) maximizes(titles ...string) {
	r.Helper()
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}, {300, 80}} {
		r.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		for _, back := range []string{"Z", "esc"} {
			before := r.screen()
			if r.boxes() < 2 {
				r.Fatalf("%v: nothing to maximize:\n%s", size, before)
			}
			r.press("Z")
			if n := r.boxes(); n != 1 {
				r.Fatalf("%v: %d boxes after Z:\n%s", size, n, r.screen())
			}
			r.sees("Z restore", titles[0])
			for _, title := range titles[1:] {
				r.press(strings.Fields(r.nextPanel())[0])
				r.sees(title)
				want := 1
				if title == "╭ figures ─" && size[0] >= 200 {
					want = 2 // with what the figures mean
				}
				if n := r.boxes(); n != want {
					r.Fatalf("%v: %d boxes with %q:\n%s", size, n, title, r.screen())
				}
			}
			r.press(strings.Fields(r.nextPanel())[0]) // and from the beginning
			r.sees(titles[0])
			r.press(back)
			if after := r.screen(); after != before {
				r.Fatalf("%v: %s does not restore\n%s\nbut shows\n%s", size, back, before, after)
			}
		}
	}
	for w := range 44 {
		r.send(tea.WindowSizeMsg{Width: 3 * w, Height: w})
		r.do("Z Z")
	}
}

// nextPanel is the key of the next panel with its word in the footer.
func (r *harness) nextPanel() string {
	for _, key := range []string{"v", "c"} {
		if strings.Contains(footer(r), key+" panel") {
			return key + " panel"
		}
	}
	r.Fatalf("no key for the next panel in %q", footer(r))
	return ""
}

// TestLiveMaximizes checks the panels of Live: first the scope, then each.
func TestLiveMaximizes(t *testing.T) {
	play(t, "live", 120, 40, colours, func(r *harness) {
		answer(r)
		r.wait(5 * time.Second) // the text has faded
		r.maximizes("╭ scope ─ whole", "╭ stream 1 ─", "╭ figures ─", "╭ runs ─ 1 ended")
	})
}

// TestLoadMaximizes checks the charts and panels of Load.
func TestLoadMaximizes(t *testing.T) {
	play(t, "load", 120, 40, Options{}, func(r *harness) {
		r.do("tab space drain")
		r.maximizes("╭ speed over users", "╭ frontier", "╭ over time", "╭ TTFT over time", "╭ over prompt length", "╭ lanes",
			"╭ requests", "╭ goodput", "╭ ")
	})
}

// TestExplainMaximizes checks the panels of Explain.
func TestExplainMaximizes(t *testing.T) {
	play(t, "explain", 120, 40, colours, func(r *harness) {
		r.do("4 wait:2s space wait:1s")
		r.maximizes("╭ batch", "╭ client", "╭ what if", "╭ step", "╭ roofline", "╭ KV cache")
	})
}

// TestFrozenIsNoTab checks that the mark of a frozen screen differs from the
// shown tab, and from a failure.
func TestFrozenIsNoTab(t *testing.T) {
	play(t, "load", 120, 40, colours, func(r *harness) {
		r.do(`space sent chunk:"a word" wait:100ms f`)
		top, _, _ := strings.Cut(r.screen(), "\n")
		role := func(word string) themes.Role {
			before, _, ok := strings.Cut(top, word)
			testkit.Given(t, ok, "no %q in %q", word, top)
			_, role := r.m.surface.grid.At(draw.Width(before), 0)
			return role
		}
		if role("frozen") != themes.Headline || role("1 Live") != themes.Badge {
			t.Errorf("frozen has role %d, the tab %d", role("frozen"), role("1 Live"))
		}
	})
}
