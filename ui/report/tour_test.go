package report

import (
	"strings"
	"testing"
)

// The summary wraps between words, so that no terminal cuts one.
func TestTheTourBreaksBetweenWords(t *testing.T) {
	text := "The seesaw: holds. 64 users: 94.0 tok/s per user, 5705 tok/s aggregate; 1 user: 150 tok/s"
	title, verdict, _ := strings.Cut(text, ": holds. ")
	for _, w := range []int{0, 40, 80, 120} {
		s := Tour([]Verdict{{}, {Title: title, Text: verdict, Holds: true}}).Text(w)
		_, s, _ = strings.Cut(s, "engine\n")
		if got := strings.Join(strings.Fields(s), " "); got != "2 "+text {
			t.Errorf("%d columns: %q", w, got)
		}
		for _, row := range strings.Split(s, "\n") {
			if len(row) > max(w, 3+leastText) && w > 0 {
				t.Errorf("%d columns: %q", w, row)
			}
		}
	}
	if s := Tour([]Verdict{{Title: "x"}}).Text(80); s != "" {
		t.Errorf("of nothing: %q", s)
	}
}
