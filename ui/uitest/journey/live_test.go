//go:build !windows

package journey

import (
	"strings"
	"syscall"
	"testing"

	"tokscope/metrics/testkit"
)

// A stranger opens the program: it streams at once, without key and network,
// explains what one sees, tells what it measured, and leaves the terminal and a
// recording behind.
func TestFirstMinute(t *testing.T) {
	t.Parallel()
	x := start(t, 120, 40, nil)
	x.until("TTFT", "TPOT", "speed", "auto 1 of 3", "the model reads the prompt.")
	x.until("decoding", "First token after")
	x.until("token by token: decode")
	x.do("x > stopped | space again")
	x.keys("[[[[[[ ") // again, with a short answer
	x.until("stream 2")
	x.until("done")
	x.do("? > copy as curl")
	x.do("<esc> > space again")
	x.quits()
	x.restored()
	if s := x.screen(); !strings.Contains(s, "TTFT") || !strings.Contains(s, "session-") {
		t.Errorf("no summary and path stay in the scrollback:\n%s", s)
	}
	files := x.recordings()
	testkit.Is(t, len(files), 1, "files were left, want the one recording")
	for _, data := range files {
		testkit.Is(t, strings.Count(data, `{"type":"end"`), 2, "the recording has … ended requests")
	}
}

// SIGTERM ends the program in order; after kill -9 the recording is on disk.
func TestSignals(t *testing.T) {
	t.Parallel()
	x := start(t, 80, 24, nil, "--max-tokens", "4000")
	x.until("decoding")
	x.signal(syscall.SIGTERM)
	x.exits(130)
	x.restored()

	y := start(t, 80, 24, nil, "--max-tokens", "4000")
	y.until("decoding")
	y.wait("events on the disk", func() bool {
		for _, data := range y.recordings() {
			if strings.Count(data, `{"type":"event"`) > 3 {
				return true
			}
		}
		return false
	})
	y.signal(syscall.SIGKILL)
	y.exit()
	for _, data := range y.recordings() {
		testkit.That(t, strings.Count(data, `{"type":"event"`) >= 4, "the recording of the killed run lost its events")
	}
}
