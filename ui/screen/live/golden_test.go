package live

import (
	"fmt"
	"testing"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/uitest/golden"
)

// sizes are terminal sizes. The root takes one row above and one below the
// screen and leaves the last column empty.
var sizes = [][2]int{{40, 12}, {80, 24}, {120, 40}, {200, 50}}

// frame draws v as the root would on a terminal of w by h, without its rows.
func frame(v *View, w, h int) *draw.Grid {
	g := draw.New(max(w-1, 0), max(h-2, 0))
	New().Draw(g, g.Bounds(), v)
	return g
}

func TestGolden(t *testing.T) {
	for _, name := range []string{"connecting", "waiting", "progress", "decoding", "reasoning", "tool", "stalled", "done", "error", "truncated", "stopped", "refused", "idle", "told"} {
		for _, size := range sizes {
			golden.Screen(t, fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), frame(scene(name), size[0], size[1]))
		}
	}
	v := scene("decoding")
	v.Glyphs = themes.ASCIIGlyphs()
	golden.Screen(t, "ascii-120x40", frame(v, 120, 40))
	golden.Screen(t, "ascii-80x24", frame(v, 80, 24))
	v = scene("done")
	v.ShowDefinitions = true
	golden.Screen(t, "definitions-120x40", frame(v, 120, 40))
	golden.Screen(t, "definitions-40x12", frame(v, 40, 12))
	golden.Screen(t, "length-300x80", frame(scene("length"), 300, 80))
	for _, c := range []struct{ lens, scene string }{{"chat", "waiting"}, {"voice", "decoding"}, {"agent", "done"}} {
		v = scene(c.scene)
		v.Lens, v.Task, v.Runs = c.lens, metrics.DefaultAgentTask, earlierRuns(v)
		for _, size := range sizes {
			golden.Screen(t, fmt.Sprintf("lens-%s-%dx%d", c.lens, size[0], size[1]), frame(v, size[0], size[1]))
		}
	}
}
