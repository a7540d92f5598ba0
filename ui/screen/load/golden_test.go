package load

import (
	"fmt"
	"testing"

	"tokscope/themes"
	"tokscope/ui/cell"
	"tokscope/ui/uitest/golden"
)

// frame draws v as the root would on a terminal of w by h, without its rows.
func frame(v *View, w, h int) *cell.Grid {
	g := cell.New(max(w-1, 0), max(h-2, 0))
	New().Draw(g, g.Bounds(), v)
	return g
}

func TestGolden(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}} {
		for _, n := range []int{1, 8, 64, 256} {
			golden.Screen(t, fmt.Sprintf("users%d-%dx%d", n, size[0], size[1]), frame(scene(n), size[0], size[1]))
		}
		for _, name := range []string{"idle", "starting", "rising", "broken", "errors", "refused", "leaving"} {
			golden.Screen(t, fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), frame(sceneOf(name), size[0], size[1]))
		}
	}
	for _, k := range []Kind{Frontier, Timeline} {
		v := scene(64)
		v.Kind = k
		golden.Screen(t, k.String()+"-120x40", frame(v, 120, 40))
		golden.Screen(t, k.String()+"-80x24", frame(v, 80, 24))
	}
	v := scene(64)
	v.Log = true
	golden.Screen(t, "log-120x40", frame(v, 120, 40))
	v = scene(64)
	v.Glyphs = themes.ASCIIGlyphs()
	golden.Screen(t, "ascii-120x40", frame(v, 120, 40))
	v = sceneOf("broken")
	v.Glyphs = themes.ASCIIGlyphs()
	golden.Screen(t, "ascii-80x24", frame(v, 80, 24))
	golden.Screen(t, "users256-200x50", frame(scene(256), 200, 50))
	golden.Screen(t, "users256-300x80", frame(scene(256), 300, 80))
}
