package load

import (
	"strings"
	"testing"

	"tokscope/ui/uitest/golden"
)

// TestEveryViewInASCII draws every state without Unicode, with its figures
// from microseconds to hours. A random test meets few of these.
func TestEveryViewInASCII(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range states {
		for _, factor := range []float64{1e-5, 1, 1e5} {
			v := ascii(stateOf(s))
			golden.Scale(v, factor)
			for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}, {200, 50}} {
				text := frame(v, size[0], size[1]).Plain()
				if i := strings.IndexFunc(text, func(r rune) bool { return r > '~' }); i >= 0 {
					t.Errorf("%s, figures times %g, %v: %.20q", s, factor, size, text[i:])
				}
				for _, unit := range []string{" us", " ms", " min"} {
					seen[unit] = seen[unit] || strings.Contains(text, unit)
				}
			}
		}
	}
	if len(seen) != 3 || !seen[" us"] || !seen[" ms"] || !seen[" min"] {
		t.Errorf("these units were drawn: %v", seen)
	}
}
