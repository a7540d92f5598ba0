//go:build !windows

package journey

import "testing"

// TestLoadReplay opens a recorded load of 37 requests, of which the file holds seven,
// with its points, its figures and its list, and goes to a request and back.
func TestLoadReplay(t *testing.T) {
	t.Parallel()
	x := start(t, 120, 40, nil, "replay", "testdata/load.ndjson.gz")
	x.until("load.ndjson.gz", "replay")
	x.keys("<tab>")
	x.until("recorded load", "ended after 22 s", "37 requests sent", "last window, 4 users", "requests ─ 7 ended", "7 of 37 in the file")
	x.keys("<down>", "<enter>")
	x.until(", recorded", "word")
	x.keys("<esc>")
	x.until("requests ─ 7 ended")
	x.keys("<tab>")
	x.until("tab load", "word")
	x.keys("<tab>")
	x.until("last window, 4 users")
	x.keys("<esc>")
	x.until("1 Live", "SPEED")
	x.keys("q")
	if code := x.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
