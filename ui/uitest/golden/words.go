package golden

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tokscope/ui/draw"
)

// word is what a person reads: it begins with a letter, a digit or "~".
var word = regexp.MustCompile(`[\pL\pN~][\pL\pN.,%/×+-]*`)

// cut is a word that ends with an ellipsis.
var cut = regexp.MustCompile(`\S*…`)

// tick is a number at a mark of an axis: where there is more room, others stand there.
var tick = regexp.MustCompile(`[\d.,]+k? *┤|├ *[\d.,]+k?`)

// Lost returns the words and figures of narrow that wide shows nowhere, in
// order. Words cut with "…" do not count. It is how a size is checked that has
// no golden file: a larger terminal shows what a smaller one does.
func Lost(narrow, wide *draw.Grid) []string {
	text := wide.Plain()
	var lost []string
	for _, w := range word.FindAllString(tick.ReplaceAllString(cut.ReplaceAllString(narrow.Plain(), " "), " "), -1) {
		if w = strings.TrimRight(w, ".,-+/"); !strings.Contains(text, w) && !slices.Contains(lost, w) {
			lost = append(lost, w)
		}
	}
	return lost
}

// Larger checks the sizes without golden files against their neighbors. Each
// step leads from a width and height to a larger one; draw shows what is called
// name at a size. What a step loses must be the words of lost under the key
// "name, 80x24 to 100x30". Words that match skip do not count. Short mode leaves it out.
func Larger(t testing.TB, names []string, steps [][4]int, skip *regexp.Regexp,
	lost map[string]string, draw func(name string, w, h int) *draw.Grid) {
	t.Helper()
	if testing.Short() {
		t.Skip("left out by -short: every screen at many sizes")
	}
	left := maps.Clone(lost)
	for _, step := range steps {
		for _, name := range names {
			key := fmt.Sprintf("%s, %dx%d to %dx%d", name, step[0], step[1], step[2], step[3])
			words := slices.DeleteFunc(Lost(draw(name, step[0], step[1]), draw(name, step[2], step[3])), skip.MatchString)
			if got := strings.Join(words, " "); got != lost[key] {
				t.Errorf("%s: lost are %q, want %q", key, got, lost[key])
			}
			delete(left, key)
		}
	}
	for key := range left {
		t.Errorf("%s: nobody looked", key)
	}
}
