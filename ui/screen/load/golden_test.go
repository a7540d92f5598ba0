package load

import (
	"fmt"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/uitest/golden"
)

// frame draws v as the root would on a terminal of w by h, without its rows.
func frame(v *View, w, h int) *draw.Grid {
	g := draw.New(max(w-1, 0), max(h-2, 0))
	newPicture().Draw(g, g.Bounds(), v)
	return g
}

// state is one moment of the golden files.
type state struct {
	name string
	view func() *View
}

// states returns all of them in their order.
func states() []state {
	var all []state
	for _, name := range []string{"idle", "starting"} {
		all = append(all, state{name, func() *View { return sceneOf(name) }})
	}
	for _, n := range []int{1, 8, 64, 256} {
		all = append(all, state{fmt.Sprintf("users %d", n), func() *View { return scene(n) }})
	}
	for _, name := range []string{"rising", "broken", "errors", "late", "refused", "leaving"} {
		all = append(all, state{name, func() *View { return sceneOf(name) }})
	}
	for _, k := range []Kind{Frontier, Timeline, Waits} {
		all = append(all, state{k.String(), func() *View { v := scene(64); v.Kind = k; return v }})
	}
	return append(all,
		state{"rate", func() *View { return openScene(5) }},
		state{"overload", overloadScene},
		state{"queue", func() *View { v := overloadScene(); v.Kind = Queue; return v }},
		state{"ramp", rampScene},
		state{"down again", fallScene},
		state{"log", func() *View { v := scene(64); v.Log = true; return v }},
		state{"steered", steered}, state{"steered, time", func() *View { v := steered(); v.Kind = Timeline; return v }},
		state{"length", func() *View { return lengthScene(depths(1000, 4000, 16_000)) }},
		state{"one length", func() *View { return lengthScene(uncached(depths(1000))) }},
		state{"varied", func() *View { return varied(8, fitted(12.3, 0.0221, 0.978, 200)) }})
}

// ascii is v on a terminal without Unicode.
func ascii(v *View) *View {
	v.Glyphs = themes.ASCIIGlyphs()
	return v
}

// TestGolden holds every state at 80x24 and at 120x40. TestLargerShowsMore has
// the other sizes.
func TestGolden(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		sheet := golden.NewSheet(t, fmt.Sprintf("%dx%d", size[0], size[1]))
		for _, s := range states() {
			sheet.Screen(s.name, frame(s.view(), size[0], size[1]))
		}
	}
}

// TestGoldenSizes holds one state at the other sizes, and in ASCII.
func TestGoldenSizes(t *testing.T) {
	sheet := golden.NewSheet(t, "sizes")
	for _, size := range [][2]int{{40, 12}, {100, 30}, {200, 50}, {300, 80}} {
		sheet.Screen(fmt.Sprintf("users 256, %dx%d", size[0], size[1]), frame(scene(256), size[0], size[1]))
	}
	sheet.Screen("users 64, ASCII, 120x40", frame(ascii(scene(64)), 120, 40))
	sheet.Screen("broken, ASCII, 80x24", frame(ascii(sceneOf("broken")), 80, 24))
}

// fitted is a fit that is known.
func fitted(a, b, r2 float64, n int) *loadstat.TTFTFit {
	return &loadstat.TTFTFit{A: metrics.Known(a, n), B: metrics.Known(b, n), R2: metrics.Known(r2, n), Off: metrics.Known(2, n), N: n}
}

// varied is a load of n users whose prompts vary in length.
func varied(n int, f *loadstat.TTFTFit) *View {
	v := scene(n)
	v.Load.Input, v.Load.Live.Fit = metrics.Lengths{Low: 200, High: 4000}, f
	return v
}
