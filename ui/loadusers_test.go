package ui

import (
	"testing"

	"tokscope/ui/screen"
	"tokscope/ui/uitest"
)

// users types a number of users.
func (r *harness) users(n string) {
	r.press("u")
	r.typed(n)
	r.press("enter")
}

// TestUsersAreTyped checks the picker of users: any number up to the most, from
// the list too, and none after esc.
func TestUsersAreTyped(t *testing.T) {
	playLoad(t, 120, 40, Options{}, func(r *harness, b *uitest.LoadBackend) {
		r.press("tab", "u")
		r.typed("64")
		r.press("enter")
		r.wantCalls("start 1", "resize 64")
		r.press("u")
		r.typed("3")
		r.press("enter")
		r.wantCalls("start 1", "resize 64", "resize 3")
		r.press("u")
		r.typed("9")
		r.press("esc")
		r.press("u")
		r.typed("99999")
		r.press("enter") // no such number: the list stays
		r.press("esc", "esc")
		r.wantCalls("start 1", "resize 64", "resize 3")
		r.press("2", "u", "down", "enter")
		if calls := r.loadCalls(); len(calls) != 4 {
			t.Errorf("the list chose nothing: %q", calls)
		}
	})
}

// TestDigitsAreScreens checks that a digit on Load chooses a screen, and never
// the number of users.
func TestDigitsAreScreens(t *testing.T) {
	playLoad(t, 120, 40, Options{}, func(r *harness, b *uitest.LoadBackend) {
		r.press("tab")
		for _, key := range []string{"0", "2", "3", "5", "6", "7", "8", "9", "1"} {
			r.press(key)
			if want := map[bool]screen.Name{true: screen.Live, false: screen.Load}[key == "1"]; r.shown() != want {
				t.Errorf("%s shows %s", key, r.shown())
			}
		}
		r.wantCalls("start 1")
	})
}
