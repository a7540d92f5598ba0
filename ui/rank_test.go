package ui

import (
	"testing"
	"time"

	"tokscope/ui/keys"
	"tokscope/ui/screen"
)

// TestFooterRanksDiffer checks that no two keys of a footer have the same rank in
// any state that a walk through the screens shows: which one is dropped where room
// is short must not follow from the order of a table.
func TestFooterRanksDiffer(t *testing.T) {
	said := map[string]bool{}
	playEvery(t, func(r *harness) {
		check := func(state string) {
			of := map[int]string{}
			for _, h := range keys.Hints(nil, r.m.bindings[r.m.screens.at], false) {
				key := h.Key + " " + h.Word
				other, taken := of[h.Rank]
				if text := string(r.shown()) + ": " + other + ", " + key; taken && !said[text] {
					said[text] = true
					t.Errorf("%s, %s have rank %d (%s)", string(r.shown())+": "+other, key, h.Rank, state)
				}
				of[h.Rank] = key
			}
		}
		walk := []string{"space", "/", "esc", "v", "v", "Z", "esc", "left", "esc", "a", "x", "w", "w", "w", "w",
			"f", "f", "d", "d", "D", "esc", "enter", "esc", "T", "esc", "down", "n", "=", "up", "space", "space"}
		for i, s := range r.m.screens.all {
			if s.Name() == screen.Lent {
				continue // it shows what another screen opens
			}
			_ = r.m.show(i)
			check("entered")
			for _, key := range walk {
				r.press(key)
				r.wait(100 * time.Millisecond)
				if r.m.stack.top() != nil {
					r.press("esc")
				}
				check("after " + key)
			}
		}
	})
}
