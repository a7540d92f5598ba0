package golden

import (
	"strings"
	"testing"

	"tokscope/ui/draw"
)

// ASCII checks that only ASCII is drawn of each of names, with its figures from
// microseconds to hours, which a random test seldom meets, and that each of units is drawn
// once. of returns what draws a name with its figures times a factor, without Unicode.
func ASCII(t *testing.T, names []string,
	of func(name string, factor float64) func(w, h int) *draw.Grid, units ...string) {
	t.Helper()
	var all strings.Builder
	for _, name := range names {
		for _, factor := range [...]float64{1e-6, 1e-3, 1, 1e3, 1e6} {
			view := of(name, factor)
			for _, size := range [...][2]int{{40, 12}, {80, 24}, {120, 40}, {200, 50}} {
				text := strings.ReplaceAll(view(size[0], size[1]).Plain(), "␛", "") // a server's own, which is shown
				if i := strings.IndexFunc(text, func(r rune) bool { return r > '~' }); i >= 0 {
					t.Errorf("%s, figures times %g, %v: %.20q", name, factor, size, text[i:])
				}
				all.WriteString(text)
			}
		}
	}
	for _, unit := range units {
		if !strings.Contains(all.String(), unit) {
			t.Errorf("no figure in%s was drawn", unit)
		}
	}
}
