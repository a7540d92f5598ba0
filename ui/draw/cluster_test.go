package draw

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
	"tokscope/themes"
)

// Runes that narrow accepts are one column wide by the full check. No pair of
// them joins into a cluster.
func TestNarrow(t *testing.T) {
	var all []rune
	for r := range rune(0x3000) {
		if !narrow(r) {
			continue
		}
		q, w := proper(r)
		testkit.That(t, q == r && w == 1, "%U is %U, %d wide", r, q, w)
		all = append(all, r)
	}
	for i, r := range all {
		next := all[(i*7+1)%len(all)]
		testkit.Is(t, Width(string([]rune{r, next, '́'})), 2, r, "and", next, "with an accent are … wide")
	}
}

// The program's own glyphs are drawn without allocating.
func TestGlyphsAllocateNothing(t *testing.T) {
	g := New(4, 1)
	for _, gl := range []*themes.Glyphs{themes.UnicodeGlyphs(), themes.ASCIIGlyphs()} {
		v := reflect.ValueOf(*gl)
		for i := range v.NumField() {
			f := v.Field(i)
			if f.Kind() != reflect.Int32 {
				continue
			}
			r := rune(f.Int())
			testkit.Allocates(t, 0, 5, func() { g.Set(0, 0, r, themes.Text) }, v.Type().Field(i).Name)
		}
	}
}

// Every dot of a cell has its own bit. A cell with other content starts
// without dots.
func TestDot(t *testing.T) {
	all := '\u2800'
	for y := range 4 {
		for x := range 2 {
			next := Dot(all, x, y)
			if next == all || Dot('x', x, y) != next&^all|'\u2800' {
				t.Errorf("dot %d, %d makes %q of %q and %q of a letter", x, y, next, all, Dot('x', x, y))
			}
			all = next
		}
	}
	if all != '⣿' || Dot(0, 0, 0) != '⠁' || Dot(0, 1, 3) != '⢀' {
		t.Errorf("all dots are %q, the first is %q, the last %q", all, Dot(0, 0, 0), Dot(0, 1, 3))
	}
}

// anyText draws a text with blanks and clusters of one and of several runes.
func anyText(t *rapid.T, name string) string {
	return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom([]string{" ", "a", "word", "語", "e\u0301", "👩‍👩‍👧",
		"🇩🇪", "👍🏽", "ᄀ", "각", "\u0301"}),
		rapid.StringN(0, 2, 8)), 0, 12).Draw(t, name), "")
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		text    string
		w, want int
	}{{"", 5, 0}, {"one two", 7, 7}, {"one two", 6, 3}, {"one two", 3, 3}, {"onetwo", 3, 3}, {"日本", 3, 3},
		{"👩‍👩‍👧 ok", 5, 21}, {"👩‍👩‍👧 ok", 4, 18}} {
		testkit.Is(t, Fit(c.text, c.w), c.want, "bytes of", c.text, "fit into", c.w, "columns")
	}
}

// TestCutsFitTheScreen compares Fit and Head with what Text draws: they keep
// as much as fits, and never end inside a cluster.
func TestCutsFitTheScreen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, w := anyText(t, "text"), rapid.IntRange(0, 12).Draw(t, "columns")
		if Width(s) <= w && (Fit(s, w) != len(s) || Head(s, w) != s) {
			t.Fatalf("%q is %d wide and was cut to %d", s, Width(s), w)
		}
		head := Head(s, w)
		for _, n := range []int{Fit(s, w), len(head)} {
			if Width(s[:n]) > w || Width(s[:n])+Width(s[n:]) != Width(s) {
				t.Fatalf("%q in %d columns is cut at %q, %d wide", s, w, s[:n], Width(s[:n]))
			}
		}
		g := New(w, 1)
		testkit.Need(t, g.Text(0, 0, s, 0, w), Width(head), s, "in", w, "columns: are drawn")
		if n := Fit(s, w); n < len(head) && s[n] != ' ' {
			t.Fatalf("%q in %d columns is cut at %q, not at a blank", s, w, s[:n])
		}
	})
}

// TestLastCluster takes a text apart from its end, as backspace does.
func TestLastCluster(t *testing.T) {
	for s, want := range map[string]string{"cafe\u0301": "caf", "a👩‍👩‍👧": "a", "x🇩🇪": "x", "ab": "a", "a": "", "": ""} {
		testkit.Is(t, s[:len(s)-LastCluster(s)], want, s, "without its last cluster")
	}
}
