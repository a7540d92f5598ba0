package ui

import (
	"strings"
	"testing"
	"time"

	"tokscope/ui/screen"
)

// TestHeaderOfAnEndpointNotYetAsked checks that the outcome and model of an
// earlier run do not appear for an endpoint chosen since.
func TestHeaderOfAnEndpointNotYetAsked(t *testing.T) {
	play(t, "live", 120, 40, colours, func(r *harness) {
		head := func() string { top, _, _ := strings.Cut(r.screen(), "\n"); return top }
		r.do("space stream:5 wait:300ms")
		if !strings.Contains(head(), "✓ demo  llama-3.1-8b") {
			t.Fatalf("after a run: %s", head())
		}
		r.do(`e "groq" enter enter`)
		if h := head(); !strings.Contains(h, "groq") || strings.Contains(h, "✓") || strings.Contains(h, "llama") {
			t.Errorf("after another endpoint was chosen: %s", h)
		}
	})
}

// TestHeaderAt80 checks that nothing in the header of a replay is cut: the marks and
// five tabs leave little room at 80 columns.
func TestHeaderAt80(t *testing.T) {
	play(t, "replay", 80, 24, colours, func(r *harness) {
		b := r.b
		b.SetReplay(file, recordedRun(11, 7*time.Millisecond))
		r.spawn(r.m.show(r.m.screens.find(screen.Replay)))
		r.drain()
		for _, keys := range [][]string{{"-"}, {"end"}, {"1"}, {"3"}} {
			r.press(keys...)
			r.wait(time.Second)
			top, _, _ := strings.Cut(r.screen(), "\n")
			brand := strings.Contains(top, "tokscop")
			if whole := strings.Contains(top, " tokscope  "); brand != whole || !strings.Contains(top, "paused") || !strings.Contains(top, "4 Expl ") {
				t.Errorf("after %v: %q", keys, top)
			}
		}
	})
}
