package live

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/slo"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/uitest/golden"
)

// sizes are terminal sizes. The root takes one row above and one below the
// screen and leaves the last column empty.
var sizes = [][2]int{{40, 12}, {80, 24}, {120, 40}, {200, 50}}

// frame draws v as the root would on a terminal of w by h, without its rows.
func frame(v *View, w, h int) *draw.Grid {
	if v.Findings == nil {
		v.Findings = conclude(v)
	}
	g := draw.New(max(w-1, 0), max(h-2, 0))
	newPicture().Draw(g, g.Bounds(), v)
	return g
}

// states are the moments of the golden files.
var states = []string{"idle", "connecting", "waiting", "progress", "decoding", "reasoning", "tool", "stalled",
	"done", "timings", "length", "error", "truncated", "stopped", "refused", "limited", "unreachable"}

// lenses are the moments that are looked at through a lens.
var lenses = []struct{ lens, scene string }{{"chat", "waiting"}, {"voice", "decoding"}, {"agent", "done"}}

// through is a moment seen through a lens, after earlier runs.
func through(lens, name string) *View {
	v := scene(name)
	v.Lens, v.Task, v.Runs = lens, slo.DefaultAgentTask, earlierRuns(v)
	return v
}

// everyView is every state, and every lens, by its name.
func everyView() map[string]func() *View {
	views := map[string]func() *View{}
	for _, name := range states {
		views[name] = func() *View { return scene(name) }
	}
	for _, l := range lenses {
		views["lens "+l.lens] = func() *View { return through(l.lens, l.scene) }
	}
	return views
}

// TestGolden holds every state at 80x24 and at 120x40. TestOtherSizes has the
// other sizes.
func TestGolden(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		sheet := golden.NewSheet(t, fmt.Sprintf("%dx%d", size[0], size[1]))
		for _, name := range states {
			sheet.Screen(name, frame(scene(name), size[0], size[1]))
		}
		for _, l := range lenses {
			sheet.Screen("lens "+l.lens+", "+l.scene, frame(through(l.lens, l.scene), size[0], size[1]))
		}
		v := scene("done")
		v.Definitions = true
		sheet.Screen("definitions", frame(v, size[0], size[1]))
	}
}

// TestGoldenSizes holds one state at the other sizes, and in ASCII.
func TestGoldenSizes(t *testing.T) {
	sheet := golden.NewSheet(t, "sizes")
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}, {200, 50}} {
		v := scene("timings")
		v.Max = NowPanel
		sheet.Screen(fmt.Sprintf("all figures, %dx%d", size[0], size[1]), frame(v, size[0], size[1]))
	}
	for _, size := range [][2]int{{40, 12}, {100, 30}, {200, 50}, {300, 80}} {
		sheet.Screen(fmt.Sprintf("decoding, %dx%d", size[0], size[1]), frame(scene("decoding"), size[0], size[1]))
	}
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		v := scene("decoding")
		v.Glyphs = themes.ASCIIGlyphs()
		sheet.Screen(fmt.Sprintf("decoding, ASCII, %dx%d", size[0], size[1]), frame(v, size[0], size[1]))
	}
}

// TestEveryViewInASCII draws every state and lens without Unicode.
func TestEveryViewInASCII(t *testing.T) {
	views := everyView()
	views["definitions"] = func() *View { v := scene("done"); v.Definitions = true; return v }
	views["twenty runs"] = func() *View { return after(twentyRuns()...) }
	views["two endpoints"] = twoEndpoints
	views["two workloads"] = func() *View {
		return after(ended(1, 50, nil), ended(2, 50, func(s *metrics.Stream) { s.Work.MaxTokens = 9 }))
	}
	views["paused"] = func() *View { v := scene("refused"); v.Message, v.Warn = "auto paused", true; return v }
	views["a caption"] = func() *View { v := scene("decoding"); v.Message = captions[0].text; return v }
	golden.ASCII(t, slices.Collect(maps.Keys(views)), func(name string, factor float64) func(w, h int) *draw.Grid {
		v := views[name]()
		golden.Scale(v, factor)
		v.Glyphs = themes.ASCIIGlyphs()
		return func(w, h int) *draw.Grid { return frame(v, w, h) }
	})
}
