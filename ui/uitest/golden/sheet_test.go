package golden

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// TestEveryDifferenceIsFound checks that a changed, a new, a missing and a
// moved part are reported.
func TestEveryDifferenceIsFound(t *testing.T) {
	a, b := part{"a", "1\n2"}, part{"b", "3"}
	file := join([]part{a, b})
	for name, sheet := range map[string]string{
		"a row": join([]part{{"a", "1\n9"}, b}), "a row more": join([]part{{"a", "1\n2\n"}, b}),
		"a part more": file + join([]part{{"c", ""}}), "a part less": join([]part{a}), "none": "",
		"another order": join([]part{b, a}), "a row above": "stray\n" + file,
	} {
		testkit.That(t, differences(file, sheet) != "", "%s is not found", name)
	}
	diff := differences(file, file)
	testkit.That(t, diff == "", "the same: %s", diff)
}

// TestLostWordsAreFound checks that a changed figure and a missing word are
// found. Frames, words that end with an ellipsis, and numbers at ticks are not words.
func TestLostWordsAreFound(t *testing.T) {
	grid := func(rows ...string) *draw.Grid {
		g := draw.New(30, len(rows))
		for y, row := range rows {
			g.Text(0, y, row, themes.Text, 30)
		}
		return g
	}
	wide := grid("╭ TTFT ─ 41.0 ms ╮", "│ the server says │")
	for _, c := range []struct {
		narrow *draw.Grid
		want   []string
	}{
		{grid("TTFT 41.0 ms, the"), nil},
		{grid("│ says sentenc… │"), nil},
		{grid("TTFT 41.5 ms", "41.5"), []string{"41.5"}},
		{grid("no server"), []string{"no"}},
		{grid("5,000 ┤ 17 ├10k"), []string{"17"}},
	} {
		if diff := cmp.Diff(c.want, Lost(c.narrow, wide)); diff != "" {
			t.Errorf("%q:\n%s", c.narrow.Plain(), diff)
		}
	}
}
