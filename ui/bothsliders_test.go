package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"tokscope/ui/uitest"
)

// Both sliders are on the screen, and a click brings the one into use that was
// not: a load of users becomes one of a rate, and back.
func TestBothSlidersAreClicked(t *testing.T) {
	playLoad(t, 120, 40, Options{Mouse: true}, func(r *harness, b *uitest.LoadBackend) {
		click := func(name string) {
			r.Helper()
			x, y := r.locate("│ " + name + " ")
			r.send(tea.MouseClickMsg{X: x + 40, Y: y, Button: tea.MouseLeft})
			r.send(tea.MouseReleaseMsg{X: x + 40, Y: y})
			r.wait(1e9)
		}
		r.press("tab")
		r.sees("╭ users")
		click("req/s")
		v := b.LoadView()
		if v.Rate < 1 || v.Rate > 100 {
			t.Fatalf("a click in the middle of the rate's slider makes %+v", v.Drive)
		}
		r.sees("requests a second, evenly spaced", "over requests a second")
		click("users")
		if v := b.LoadView(); v.Rate != 0 || v.Target < 4 || v.Target > 256 {
			t.Errorf("a click in the middle of the users' slider makes %+v, %d users", v.Drive, v.Target)
		}
		r.sees("╭ users", "per-user falls")
	})
}
