//go:build !windows

package journey

import (
	"strings"
	"syscall"
	"testing"
)

// TestWatchOnScreen shows the screen of a watch, ends it with SIGTERM, and finds the
// result in the scrollback. The exit code of an ended watch is 0.
func TestWatchOnScreen(t *testing.T) {
	t.Parallel()
	x := start(t, 100, 30, nil, "watch", "--every", "1s", "--record=false", "llama-3.1-8b@h100", "llama-3.1-8b-q4@m3max")
	x.until("2 targets", "learning 1 of 20", "TTFT ─ llama-3.1-8b@h100", "against the baseline")
	x.do("v > TPOT ─ llama-3.1-8b@h100")
	x.signal(syscall.SIGTERM)
	x.exits(0)
	x.restored()
	if text := x.screen(); !strings.Contains(text, "learning what is usual") {
		t.Errorf("no result in the scrollback:\n%s", text)
	}
}
