package ui

import "testing"

// TestCtrlCQuitsEverywhere presses ctrl+c on the screen and in every dialog,
// including the help.
func TestCtrlCQuitsEverywhere(t *testing.T) {
	for _, open := range []string{"", "p", "e", "m", "L", "t", "?", "d"} {
		t.Run("behind "+open, func(t *testing.T) {
			play(t, 80, 24, colours, func(r *harness) {
				if open != "" {
					r.press(open)
				}
				r.press("ctrl+c")
				if !r.quit {
					t.Error("ctrl+c does not quit")
				}
			})
		})
	}
}

// TestQClosesTheHelp checks that q in the help does not quit the program.
func TestQClosesTheHelp(t *testing.T) {
	play(t, 80, 24, colours, func(r *harness) {
		r.press("?", "q")
		if r.quit {
			t.Error("q in the help quits")
		}
		r.seesNot("everywhere")
	})
}
