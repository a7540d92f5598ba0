package golden

import (
	"testing"

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
	}{{themes.Warn, 10, true}, {themes.Warn, 40, false}, {themes.Dim, 10, false}, {themes.Bad, 10, true}, {themes.Stall, 10, true}} {
		g := draw.New(40, 2)
		g.Cut(0, 1, "tokscope lagged 6.0 ms", gl, c.role, c.room)
		if found := CutWarning(g, gl) != ""; found != c.found {
			t.Errorf("role %d in %d columns: found is %v", c.role, c.room, found)
		}
	}
}
