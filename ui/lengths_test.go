package ui

import (
	"testing"

	"tokscope/ui/uitest"
)

// TestLengthsAreFetched checks that the chart over the prompt length takes the ended
// requests when v reaches it, of an ended load too, and that a frozen one stands
// still.
func TestLengthsAreFetched(t *testing.T) {
	playLoad(t, 120, 40, Options{}, func(r *harness, b *uitest.LoadBackend) {
		b.Ended = uitest.Requests(0, 40)
		r.press("tab", "v", "v", "v", "v", "v")
		r.sees("╭ over prompt length")
		r.sees("fit – (all prompts are about as long): p changes the length")
		r.seesNot("waiting for the first request")
		r.press("f")
		b.Ended = nil
		r.press("v", "v", "v", "v", "v", "v")
		r.sees("fit – (all prompts are about as long)")
		r.press("f")
		r.seesNot("fit – (all prompts")
	})
}
