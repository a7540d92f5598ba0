package say

import (
	"os"
	"strings"
	"testing"

	"tokscope/metrics/verdict"
)

// TestConclusions holds the sentences of testdata/conclusions.txt.
func TestConclusions(t *testing.T) {
	text, err := os.ReadFile("testdata/conclusions.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for block := range strings.SplitSeq(string(text), "\n\n") {
		lines := strings.Split(strings.TrimSpace(block), "\n")
		if !strings.HasPrefix(lines[0], "# ") {
			continue
		}
		n++
		long, short := "", ""
		for _, line := range lines[2:] {
			switch {
			case strings.HasPrefix(line, "= "):
				long, short = line[2:], line[2:]
			case strings.HasPrefix(line, "~ "):
				short = line[2:]
			default:
				t.Errorf("%s: %q is no sentence", lines[0], line)
			}
		}
		in := play(t, lines[1])
		found := verdict.Of(in)
		if got := Conclusion(found); got != long {
			t.Errorf("%s\n\t%s\nsays %s\nwant %s", lines[0], lines[1], got, long)
		}
		if got, _ := ConclusionFit(found, ShortConclusion); got != short {
			t.Errorf("%s, short\n\t%s\nsays %s\nwant %s", lines[0], lines[1], got, short)
		}
	}
	if n < 60 {
		t.Errorf("%d streams, want at least 60", n)
	}
}

// TestSomeFailedIsMostlyOnlyWhereMixed checks that one kind of fault is named as the
// only one.
func TestSomeFailedIsMostlyOnlyWhereMixed(t *testing.T) {
	for _, c := range []struct {
		mixed bool
		part  string
		want  string
	}{
		{false, "connect", "2 of 3 requests failed: no connection."},
		{true, "connect", "2 of 3 requests failed, mostly: no connection."},
		{false, "", "2 of 3 requests failed."},
	} {
		found := []verdict.Finding{{Code: verdict.SomeFailed, Grade: verdict.Bad, N: 2, Of: 3, Part: c.part, Mixed: c.mixed}}
		if got := Conclusion(found); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestSomeStopped checks that stopped requests are counted beside failed ones.
func TestSomeStopped(t *testing.T) {
	found := []verdict.Finding{{Code: verdict.SomeFailed, N: 1, Of: 4, Part: "http"}, {Code: verdict.SomeStopped, N: 1, Of: 4}}
	if got, want := Conclusion(found), "1 of 4 requests failed: the server returned an error. 1 of 4 requests was stopped."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	found[1].N = 2
	if got, want := Conclusion(found[1:]), "2 of 4 requests were stopped."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
