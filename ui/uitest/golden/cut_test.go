package golden

import (
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// TestCutWarningsAreFound checks that only an ellipsis in the color of a warning
// counts.
func TestCutWarningsAreFound(t *testing.T) {
	gl := themes.UnicodeGlyphs()
	for _, c := range []struct {
		role  themes.Role
		room  int
		found bool
	}{{themes.Warn, 10, true}, {themes.Warn, 40, false}, {themes.Dim, 10, false}, {themes.Bad, 10, true},
		{themes.Stall, 10, true}} {
		g := draw.New(40, 2)
		g.Cut(0, 1, "tokscope lagged 6.0 ms", gl, c.role, c.room)
		if found := CutWarning(g, gl) != ""; found != c.found {
			t.Errorf("role %d in %d columns: found is %v", c.role, c.room, found)
		}
	}
}

// TestCutNumbersAreFound checks that an ellipsis after a number counts, and neither
// one in a range nor one in a name.
func TestCutNumbersAreFound(t *testing.T) {
	for text, found := range map[string]bool{
		"over 5 verdicts; 1.00 … │": true, "~3 more pairs, 12…": true, "not within 30 pa… │": true, "7.10 m…": true,
		"until 00:00… │": true, "a 45 %…": true,
		"251 … 290 ms": false, "llama-3.3-7…": false, "48 tokens elsewhere…": false, "the server answers…": false, "": false,
	} {
		got := CutNumber("a row\n" + text + "\nanother")
		testkit.That(t, (got != "") == found, "%q: found %q", text, got)
	}
}

// TestHalfFiguresAreFound checks that a cut unit counts, with an ellipsis and without one.
func TestHalfFiguresAreFound(t *testing.T) {
	for text, found := range map[string]bool{
		"273 ms       7.14 m": true, "│ 140 tok │": true, "in 10 m…": true, "TTFT 27…": true,
		"273 ms  140 tok/s": false, "9 of 124 fai…": false, "251 … 290 ms": false, "KV <1 %": false, "6.76 ms decode": false,
		"1.24 s": false,
	} {
		got := halfFigure.FindString("a row\n" + text + "\nanother")
		testkit.That(t, (got != "") == found, "%q: found %q", text, got)
	}
}
