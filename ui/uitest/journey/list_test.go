//go:build !windows

package journey

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// listed are the rows of a list on the screen: their numbers and their TTFT as it
// is written.
func listed(t *testing.T, screen string) (numbers, ttfts []string) {
	t.Helper()
	end := -1
	for row := range strings.Lines(screen) {
		cells := []rune(row)
		if at := strings.Index(row, "TTFT"); at >= 0 && strings.Contains(row, " #") {
			end = len([]rune(row[:at])) + len("TTFT")
			if end < len(cells) && cells[end] != ' ' {
				end++ // the arrow of the order
			}
			continue
		}
		if m := regexp.MustCompile(`^│ .? +(\d+) `).FindStringSubmatch(row); m != nil && end > 0 && len(cells) > end && !strings.Contains(row, " ended") &&
			!strings.Contains(row, " in the file") {
			numbers, ttfts = append(numbers, m[1]), append(ttfts, strings.TrimSpace(string(cells[end-10:end])))
		}
	}
	if end < 0 {
		t.Fatalf("no list:\n%s", screen)
	}
	return numbers, ttfts
}

// inMs reads a time in ms or s.
func inMs(t *testing.T, text string) float64 {
	t.Helper()
	number, unit, _ := strings.Cut(text, " ")
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || unit != "ms" && unit != "s" {
		t.Fatalf("%q is not a time", text)
	}
	if unit == "s" {
		v *= 1000
	}
	return v
}

// withoutEvents writes the recorded load of testdata, as if the events of that
// request had not been recorded, and returns the file.
func withoutEvents(t *testing.T, id string) string {
	t.Helper()
	packed, err := os.ReadFile("testdata/load.ndjson.gz")
	must(t, err)
	r, err := gzip.NewReader(bytes.NewReader(packed))
	must(t, err)
	text, err := io.ReadAll(r)
	must(t, err)
	var b strings.Builder
	left := 0
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.HasPrefix(line, `{"type":"request","id":`+id+`,`):
			line = strings.Replace(line, `"events_recorded":true`, `"events_recorded":false`, 1)
		case strings.HasPrefix(line, `{"type":"event","id":`+id+`,`), strings.HasPrefix(line, `{"type":"read","id":`+id+`,`), strings.HasPrefix(line, `{"type":"comment","id":`+id+`,`):
			left++
			continue
		}
		b.WriteString(line)
	}
	if left < 10 {
		t.Fatalf("%d lines of request %s were left out", left, id)
	}
	path := filepath.Join(t.TempDir(), "load.ndjson")
	must(t, os.WriteFile(path, []byte(b.String()), 0o600))
	return path
}

// TestListOfARecordedLoad filters the requests of a recorded load, opens one, and
// returns. One has no events in the file: it has its recorded figures, and does
// not open.
func TestListOfARecordedLoad(t *testing.T) {
	t.Parallel()
	x := start(t, 120, 40, nil, "replay", withoutEvents(t, "16"))
	x.until("load.ndjson", "replay")
	x.do("<tab> > recorded load | requests ─ 7 ended | 7 of 37 in | 37 requests sent | last window, 4 users")
	x.do("/ > all requests")
	x.do("sort:-ttft <enter> > requests ─ / sort:-ttft | 7 of 7")
	var numbers, ttfts []string
	x.wait("all seven, the slowest first", func() bool { // a frame comes in pieces
		numbers, ttfts = listed(t, x.screen())
		return len(numbers) == 7 && slices.IsSortedFunc(ttfts, func(a, b string) int { return cmp.Compare(inMs(t, b), inMs(t, a)) })
	})
	if numbers[0] != "16" || ttfts[0] != "45.7 ms" { // of its end line
		t.Fatalf("requests %q with TTFT %q", numbers, ttfts)
	}
	x.do("<enter> > request 16: figures only")
	x.keys("<down>", "<enter>")
	x.until("request "+numbers[1]+", recorded", "First token after "+ttfts[1], "esc back to the list")
	x.do("<esc> > requests ─ / sort:-ttft")
	x.quits()
}
