//go:build !windows

package journey

import "testing"

// TestPause: a paused terminal reads what the program writes and draws nothing;
// afterwards it counts the frames, and the program draws everything again when
// the size changes.
func TestPause(t *testing.T) {
	t.Parallel()
	x := start(t, 80, 24, nil, "--max-tokens", "12")
	x.until("space again")
	x.x.Pause()
	was, written := x.screen(), len(x.written())
	x.keys("?")
	x.wait("output during the pause", func() bool { return len(x.written()) > written })
	if now := x.screen(); now != was {
		t.Errorf("a paused terminal drew:\n%s", now)
	}
	if n := x.x.Resume(); n < 1 {
		t.Errorf("%d frames during the pause", n)
	}
	x.resize(80, 25)
	x.until("esc back")
}
