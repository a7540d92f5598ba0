package ui

import "testing"

// The renderer keeps the cursor that it was given, so that cursor must not
// change.
func TestACursorThatWasGivenStays(t *testing.T) {
	play(t, "live", 80, 24, colours, func(r *harness) {
		r.press("p")
		given := r.m.surface.frame.Cursor
		if given == nil {
			t.Fatal("the editor has no cursor")
		}
		was := *given
		r.typed("abc")
		if now := r.m.surface.frame.Cursor; *given != was || now == nil || now.X == was.X {
			t.Errorf("the cursor that was given went from %v to %v; now it is %v", was, *given, now)
		}
	})
}
