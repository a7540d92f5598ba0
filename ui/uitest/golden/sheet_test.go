package golden

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tokscope/themes"
	"tokscope/ui/draw"
)

// TestSheetsAreRead checks that a written sheet is read as it was, also with
// empty rows and empty parts.
func TestSheetsAreRead(t *testing.T) {
	for _, parts := range [][]part{
		nil,
		{{"a", ""}},
		{{"a", "one row"}, {"b", ""}, {"c", "\n\ntwo rows above\n"}},
		{{"a, at 80x24", "+--+\n|# |\n+--+"}},
	} {
		if diff := cmp.Diff(parts, split(join(parts)), cmp.AllowUnexported(part{})); diff != "" {
			t.Errorf("%v:\n%s", parts, diff)
		}
	}
}

// TestEveryDifferenceIsFound checks that a changed, a new, a missing and a
// moved part are all reported.
func TestEveryDifferenceIsFound(t *testing.T) {
	file := []part{{"a", "1\n2"}, {"b", "3"}}
	for _, c := range []struct {
		name string
		got  []part
		want []string
	}{
		{"the same", file, nil},
		{"a row", []part{{"a", "1\n9"}, {"b", "3"}}, []string{"a:\n"}},
		{"a row more", []part{{"a", "1\n2\n"}, {"b", "3"}}, []string{"a:\n"}},
		{"a part more", append(file[:2:2], part{"c", ""}), []string{"c is not in the file"}},
		{"a part less", file[:1], []string{"b is in the file and was not drawn"}},
		{"none", nil, []string{"a is in", "b is in"}},
		{"another order", []part{file[1], file[0]}, []string{"the order"}},
	} {
		got := differences(file, c.got)
		if len(got) != len(c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
			continue
		}
		for i := range got {
			if !strings.HasPrefix(got[i], c.want[i]) {
				t.Errorf("%s: %q, want %q", c.name, got[i], c.want[i])
			}
		}
	}
	if got := differences(split("stray\n"+join(file)), file); len(got) != 1 {
		t.Errorf("a row above the first part: %q", got)
	}
}

// TestLostWordsAreFound checks that a changed figure and a missing word are
// found. Frames, and words that end with an ellipsis, are not words.
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
	} {
		if diff := cmp.Diff(c.want, Lost(c.narrow, wide)); diff != "" {
			t.Errorf("%q:\n%s", c.narrow.Plain(), diff)
		}
	}
}
