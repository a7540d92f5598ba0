//go:build !windows

package journey

import (
	"strings"
	"syscall"
	"testing"
)

// TestWatchHeadless watches with the built program without key or network: the lines
// and the document fit their schema, and refusals and failures have their exit codes.
func TestWatchHeadless(t *testing.T) {
	t.Parallel()
	run := func(args ...string) (string, string, int) {
		return command(t, nil, "", append([]string{"watch", "--record=false", "--every", "1s"}, args...)...)
	}
	stdout, _, code := run("-n", "2", "--ndjson", "--max-tokens", "8")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if code != 0 || len(lines) != 4 {
		t.Fatalf("exit code %d, %d lines:\n%s", code, len(lines), stdout)
	}
	for _, line := range lines {
		fits(t, "watch-v1", line)
	}
	if stdout, _, code = run("http://127.0.0.1:1", "-n", "1", "--json"); code != 1 || !strings.Contains(stdout, `"failed": 1`) {
		t.Errorf("a target that fails throughout: exit code %d\n%s", code, stdout)
	}
	fits(t, "watch-v1", stdout)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--every", "10ms"}, 2, "give 1s to 24h"},
		{[]string{"no-such-target"}, 4, "no-such-target"},
		{[]string{"https://h.example.com/v1"}, 4, "too often"},
		{[]string{"--baseline", "24h"}, 4, "needs the history"},
	} {
		if _, stderr, code := run(c.args...); code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit code %d, %q", c.args, code, stderr)
		}
	}
}

// TestWatchOnScreen shows the screen of a watch, ends it with SIGTERM, and finds the
// result in the scrollback. The exit code of an ended watch is 0.
func TestWatchOnScreen(t *testing.T) {
	t.Parallel()
	x := start(t, 100, 30, nil, "watch", "--every", "1s", "--record=false", "llama-3.1-8b@h100", "llama-3.1-8b-q4@m3max")
	x.until("2 targets", "learning 1 of 20", "TTFT llama-3.1-8b@h100", "against the baseline")
	x.do("v > TPOT llama-3.1-8b@h100")
	x.signal(syscall.SIGTERM)
	x.exits(0)
	x.restored()
	if text := x.screen(); !strings.Contains(text, "learning the baseline") {
		t.Errorf("no result in the scrollback:\n%s", text)
	}
}
