//go:build !windows

package journey

import (
	"strings"
	"syscall"
	"testing"
)

// SIGQUIT restores the terminal, and Go's stacks follow.
func TestQuitRestoresTheTerminal(t *testing.T) {
	t.Parallel()
	x := startMute(t, "--max-tokens", "60")
	x.until("TTFT", "done")
	x.signal(syscall.SIGQUIT)
	x.exits(2)
	x.until("goroutine ")
	x.restored()
	if text := x.written(); strings.LastIndex(text, "\x1b[?1049l") > strings.Index(text, "SIGQUIT: quit") {
		t.Error("the stacks came before the end of the screen")
	}
}
