package golden

import (
	"strings"

	"tokscope/themes"
	"tokscope/ui/draw"
)

// Inside has paint draw into r of g, whose cells are filled before, and checks that it
// touched none outside of r, and with ascii that it drew ASCII alone.
func Inside(t interface{ Fatalf(string, ...any) }, g *draw.Grid, r draw.Rect, ascii bool, paint func()) {
	g.Fill(g.Bounds(), '#', themes.Bad)
	paint()
	w, h := g.Size()
	for i := range w * h {
		x, y := i%w, i/w
		text, role := g.At(x, y)
		if !r.Contains(x, y) && (text != "#" || role != themes.Bad) {
			t.Fatalf("%d,%d outside of %v holds %q:\n%s", x, y, r, text, g.Plain())
		}
		if ascii && strings.ContainsFunc(text, func(c rune) bool { return c > '~' }) {
			t.Fatalf("%d,%d holds %q on an ASCII terminal:\n%s", x, y, text, g.Plain())
		}
	}
}
