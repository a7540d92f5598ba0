//go:build !windows

package journey

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tokscope/ui/uitest/golden"
)

// standing is how long a paused picture stays before it is read. A busy machine
// writes a frame in pieces, with tens of milliseconds between them.
const standing = 250 * time.Millisecond

// TestLoadReplay goes through a recorded load of 37 requests, of which the file
// holds seven, and holds its screens. tab goes to its requests and back.
func TestLoadReplay(t *testing.T) {
	t.Parallel()
	x := start(t, 200, 50, nil, "replay", "testdata/load.ndjson.gz")
	x.until("load.ndjson.gz", "replay")
	x.keys("<tab>")
	x.until("2 Load", "requests recorded")
	sheet := golden.NewSheet(t, "loadreplay")
	for _, m := range []struct {
		name, place, last, key string // scales keep what was shown before: one key at a time
	}{
		{"begun", " 0.00 of 22.26 s", "no window has ended", "<home>"},
		{"one window", " 5.90 of 22.26 s", "last window, 1 user", "<right>"},
		{"two windows", "12.90 of 22.26 s", "last window, 2 users", "<right>"},
		{"three windows", "20.70 of 22.26 s", "last window, 4 users", "<right>"},
		{"ended", "22.26 of 22.26 s", "ended", "<end>"},
	} {
		for _, size := range [][2]int{{200, 50}, {120, 40}, {80, 24}} {
			if x.resize(size[0], size[1]); size[0] == 200 {
				x.keys(m.key)
			}
			before, since := "", time.Now()
			x.wait(m.name, func() bool {
				s := x.screen()
				rows := strings.Split(strings.TrimRight(s, "\n"), "\n")
				if s != before {
					before, since = s, time.Now()
				}
				return time.Since(since) > standing && len(rows) == size[1] && strings.Contains(s, m.last) && strings.Contains(rows[len(rows)-1], "tab requests") &&
					strings.Contains(rows[0], "paused 1x") && (size[0] < 100 || strings.Contains(s, m.place)) && strings.Contains(s, "37")
			})
			sheet.Text(fmt.Sprintf("%s, %dx%d", m.name, size[0], size[1]), before)
		}
	}
	x.resize(120, 40)
	x.keys("<home>", "<right>", "<down>", "<enter>")
	x.until("tab load", "word")
	x.keys("<tab>")
	x.until("last window, 1 user")
	x.keys("<esc>")
	x.until("1 Live", "SPEED")
	x.keys("q")
	if code := x.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
