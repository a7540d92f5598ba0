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
		is(t, Conclusion(found), long)
		if got, _ := ConclusionFit(found, ShortConclusion); got != short {
			t.Errorf("%s, short\n\t%s\nsays %s\nwant %s", lines[0], lines[1], got, short)
		}
	}
	if n < 60 {
		t.Errorf("%d streams, want at least 60", n)
	}
}

// TestSomeFailed checks that one kind of fault is named as the only one, and that
// stopped requests are counted beside failed ones.
func TestSomeFailed(t *testing.T) {
	some := func(n int, part string, mixed bool) verdict.Finding {
		return verdict.Finding{Code: verdict.SomeFailed, Grade: verdict.Bad, N: n, Of: 4, Part: part, Mixed: mixed}
	}
	stopped := func(n int) verdict.Finding { return verdict.Finding{Code: verdict.SomeStopped, N: n, Of: 4} }
	for want, found := range map[string][]verdict.Finding{
		"2 of 4 requests failed: no connection.":                                             {some(2, "connect", false)},
		"2 of 4 requests failed, mostly: no connection.":                                     {some(2, "connect", true)},
		"2 of 4 requests failed.":                                                            {some(2, "", false)},
		"1 of 4 requests failed: the server returned an error. 1 of 4 requests was stopped.": {some(1, "http", false), stopped(1)},
		"2 of 4 requests were stopped.":                                                      {stopped(2)},
	} {
		is(t, Conclusion(found), want)
	}
}
