package report

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// TestNarrow: a summary in a narrow terminal breaks between words, and goes on
// below the text of its line.
func TestNarrow(t *testing.T) {
	text := "load   16 users: 49.2 tok/s per user, 648 tok/s aggregate (tokens estimated)\n" +
		"       83 requests done, 31 failed, of 130 sent\n" +
		"         1 user       149 tok/s per user  146 aggregate, peak 160  TTFT p50 151 ms\n" +
		"data   /a/long/path/without/any/blank/that/a/person/copies/session.ndjson\n"
	want := "load   16 users: 49.2 tok/s per user, 648 tok/s\n" +
		"       aggregate (tokens estimated)\n" +
		"       83 requests done, 31 failed, of 130 sent\n" +
		"         1 user       149 tok/s per user\n" +
		"                      146 aggregate, peak 160\n" +
		"                      TTFT p50 151 ms\n" +
		"data   /a/long/path/without/any/blank/that/a/person/copies/session.ndjson\n"
	if got := Narrow(text, 48); got != want {
		t.Errorf("have\n%swant\n%s", got, want)
	}
	for _, w := range []int{0, 39, 200} {
		if got := Narrow(text, w); got != text {
			t.Errorf("%d columns change it to\n%s", w, got)
		}
	}
	for line := range strings.Lines(Narrow(text, 60)) {
		if n := ansi.StringWidth(strings.TrimSuffix(line, "\n")); n > 60 && !strings.Contains(line, "/a/long") {
			t.Errorf("%d columns: %q", n, line)
		}
	}
}
