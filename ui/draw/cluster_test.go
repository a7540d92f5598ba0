package draw

import (
	"reflect"
	"testing"

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
		if q, w := proper(r); q != r || w != 1 {
			t.Errorf("%U is %U, %d wide", r, q, w)
		}
		all = append(all, r)
	}
	for i, r := range all {
		next := all[(i*7+1)%len(all)]
		if n := Width(string([]rune{r, next, '́'})); n != 2 {
			t.Errorf("%q and %q with an accent are %d wide", r, next, n)
		}
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
			if n := testing.AllocsPerRun(5, func() { g.Set(0, 0, r, themes.Text) }); n > 0 {
				t.Errorf("%s, %q, costs %v allocations", v.Type().Field(i).Name, r, n)
			}
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
