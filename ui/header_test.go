package ui

import (
	"strings"
	"testing"
	"time"
)

// TestHeaderOfAnEndpointNotYetAsked checks that the outcome and model of an
// earlier run do not appear for an endpoint chosen since.
func TestHeaderOfAnEndpointNotYetAsked(t *testing.T) {
	play(t, 120, 40, colours, func(r *harness) {
		head := func() string { top, _, _ := strings.Cut(r.screen(), "\n"); return top }
		r.press("space")
		r.stream(5)
		r.wait(300 * time.Millisecond)
		if !strings.Contains(head(), "✓ demo  llama-3.1-8b") {
			t.Fatalf("after a run: %s", head())
		}
		r.press("e")
		r.typed("groq")
		r.press("enter", "enter")
		if h := head(); !strings.Contains(h, "groq") || strings.Contains(h, "✓") || strings.Contains(h, "llama") {
			t.Errorf("after another endpoint was chosen: %s", h)
		}
	})
}
