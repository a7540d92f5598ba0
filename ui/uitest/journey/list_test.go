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

// TestListOfRuns filters the runs of Live, opens the slowest while another one
// streams, and returns to it. The list and the scope have the same TTFT.
func TestListOfRuns(t *testing.T) {
	t.Parallel()
	x := start(t, 120, 40, nil, "--max-tokens", "40")
	x.until("session ─ 1 run")
	x.keys(" ")
	x.until("session ─ 2 runs")
	x.keys(" ")
	x.until("session ─ 3 runs")
	x.keys("/")
	x.until("runs ─ 3 ended", "all runs")
	x.keys("sort:-ttft", "<enter>")
	x.until("runs ─ / sort:-ttft", "3 of 3", "enter open")
	numbers, ttfts := listed(t, x.screen())
	if len(numbers) != 3 {
		t.Fatalf("rows %q:\n%s", numbers, x.screen())
	}
	for i := range ttfts[1:] {
		if inMs(t, ttfts[i]) < inMs(t, ttfts[i+1]) {
			t.Errorf("TTFT %q come before %q", ttfts[i], ttfts[i+1])
		}
	}
	x.keys("]]]]]]", " ", "<enter>") // a long one streams meanwhile
	x.until(" run "+numbers[0]+" ", "wait "+ttfts[0], "run 4 streams", "esc back to the list")
	x.keys("<left>")
	x.until("╭ chunk ")
	x.keys("n")
	x.until(" run "+numbers[1]+" ", "wait "+ttfts[1])
	x.keys("<esc>")
	x.until("runs ─ / sort:-ttft")
	x.keys("<esc>")
	x.until("runs ─ 3 ended")
	x.keys("<esc>")
	x.until("stream 4", "decoding")
	x.keys("x")
	x.until("stopped", "session ─ 4 runs")
	x.keys("/")
	x.until("runs ─ 4 ended")
	x.keys("status:canceled", "<enter>")
	x.until("1 of 4", "stopped")
	x.keys("q")
	if code := x.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// withoutEvents writes the recorded load of testdata, as if the events of that
// request had not been recorded, and returns the file.
func withoutEvents(t *testing.T, id string) string {
	t.Helper()
	packed, err := os.ReadFile("testdata/load.ndjson.gz")
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
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
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestListOfARecordedLoad filters the requests of a recorded load, opens one, and
// returns. One has no events in the file: it has its recorded figures, and does
// not open.
func TestListOfARecordedLoad(t *testing.T) {
	t.Parallel()
	x := start(t, 120, 40, nil, "replay", withoutEvents(t, "16"))
	x.until("load.ndjson", "replay")
	x.keys("<tab>")
	x.until("recorded load", "requests ─ 7 ended", "7 of 37 in")
	x.keys("/")
	x.until("all requests")
	x.keys("sort:-ttft", "<enter>")
	x.until("requests ─ / sort:-ttft", "7 of 7")
	var numbers, ttfts []string
	x.wait("all seven, the slowest first", func() bool { // a frame comes in pieces
		numbers, ttfts = listed(t, x.screen())
		return len(numbers) == 7 && slices.IsSortedFunc(ttfts, func(a, b string) int { return cmp.Compare(inMs(t, b), inMs(t, a)) })
	})
	if numbers[0] != "16" || ttfts[0] != "45.7 ms" { // of its end line
		t.Fatalf("requests %q with TTFT %q", numbers, ttfts)
	}
	x.keys("<enter>")
	x.until("request 16: figures only")
	x.keys("<down>", "<enter>")
	x.until("request "+numbers[1]+", recorded", "First token after "+ttfts[1], "esc back to the list")
	x.keys("<esc>")
	x.until("requests ─ / sort:-ttft")
	x.keys("q")
	if code := x.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
