package load

import (
	"fmt"
	"regexp"
	"strings"
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
	(&picture{}).Draw(g, g.Bounds(), v)
	return g
}

// states are the moments of the golden files, in their order.
var states = []string{"idle", "starting", "users 1", "users 8", "users 64", "users 256", "rising", "broken", "errors",
	"late",
	"refused", "leaving", "frontier", "time", "TTFT", "rate", "overload", "queue", "ramp", "down again", "log", "steered",
	"steered, time", "length", "one length", "varied"}

// stateOf is one of them.
func stateOf(name string) *View {
	v := scene(64)
	switch name {
	case "users 1", "users 8", "users 64", "users 256":
		var n int
		_, _ = fmt.Sscanf(name, "users %d", &n)
		return scene(n)
	case "frontier":
		v.Kind = Frontier
	case "time":
		v.Kind = Timeline
	case "TTFT":
		v.Kind = Waits
	case "log":
		v.Log = true
	case "rate":
		return openScene(5)
	case "overload":
		return overloadScene()
	case "queue":
		v = overloadScene()
		v.Kind = Queue
	case "ramp":
		return rampScene()
	case "down again":
		return fallScene()
	case "steered":
		return steered()
	case "steered, time":
		v = steered()
		v.Kind = Timeline
	case "length":
		return lengthScene(depths(1000, 4000, 16_000))
	case "one length":
		return lengthScene(uncached(depths(1000)))
	case "varied":
		return varied(8, fitted(12.3, 0.0221, 0.978, 200))
	default:
		return sceneOf(name)
	}
	return v
}

// shownAt draws one of the states.
func shownAt(name string, w, h int) *draw.Grid { return frame(stateOf(name), w, h) }

// ascii is v on a terminal without Unicode.
func ascii(v *View) *View {
	v.Look.Glyphs = themes.ASCIIGlyphs()
	return v
}

// TestGolden holds every state at 80x24 and at 120x40. TestLargerShowsMore has
// the other sizes.
func TestGolden(t *testing.T) { golden.Screens(t, states, shownAt, [2]int{80, 24}, [2]int{120, 40}) }

// TestGoldenSizes holds some states at the other sizes, and in ASCII.
func TestGoldenSizes(t *testing.T) {
	sheet := golden.NewSheet(t, "sizes")
	for _, name := range []string{"idle", "users 64", "rising", "errors", "late", "refused", "leaving", "overload",
		"ramp"} {
		sheet.Screen(name+", 40x12", shownAt(name, 40, 12))
	}
	for _, size := range [][2]int{{40, 12}, {100, 30}, {200, 50}, {300, 80}} {
		sheet.Screen(fmt.Sprintf("users 256, %dx%d", size[0], size[1]), frame(scene(256), size[0], size[1]))
	}
	sheet.Screen("users 64, ASCII, 120x40", frame(ascii(scene(64)), 120, 40))
	sheet.Screen("broken, ASCII, 80x24", frame(ascii(sceneOf("broken")), 80, 24))
}

// fitted is a fit that is known.
func fitted(a, b, r2 float64, n int) *loadstat.TTFTFit {
	return &loadstat.TTFTFit{A: metrics.Known(a, n), B: metrics.Known(b, n), R2: metrics.Known(r2, n),
		Off: metrics.Known(2, n), N: n}
}

// varied is a load of n users whose prompts vary in length.
func varied(n int, f *loadstat.TTFTFit) *View {
	v := scene(n)
	v.Load.Input, v.Load.Live.Fit = metrics.Lengths{Low: 200, High: 4000}, f
	return v
}

// TestEveryViewInASCII draws every state without Unicode.
func TestEveryViewInASCII(t *testing.T) {
	golden.ASCII(t, states, func(name string, factor float64) func(w, h int) *draw.Grid {
		v := ascii(stateOf(name))
		golden.Scale(v, factor)
		return func(w, h int) *draw.Grid { return frame(v, w, h) }
	}, " us", " ms", " min")
}

// lost are words that the next size leaves out or words otherwise.
var lost = map[string]string{
	"rising, 40x12 to 80x24":          "37",
	"broken, 40x12 to 80x24":          "36",
	"users 256, 80x24 to 100x30":      "79 105 131 157 183 209",
	"length, 80x24 to 100x30":         "one",
	"users 8, 200x50 to 300x80":       "top bottom",
	"ramp, 200x50 to 300x80":          "row before",
	"length, 200x50 to 300x80":        "top bottom",
	"one length, 200x50 to 300x80":    "top bottom",
	"varied, 200x50 to 300x80":        "top bottom",
	"steered, 200x50 to 300x80":       "earlier",
	"steered, time, 200x50 to 300x80": "earlier",
}

// skipped are words that do not count: ranges of users are shorter where there are more rows.
var skipped = regexp.MustCompile(`^(p50|\d+-\d+)$`)

// TestLargerShowsMore checks the sizes without golden files against those that
// have one.
func TestLargerShowsMore(t *testing.T) {
	steps := [][4]int{{40, 12, 80, 24}, {80, 24, 100, 30}, {120, 40, 200, 50}, {200, 50, 300, 80}}
	golden.Larger(t, states, steps, skipped, lost, shownAt)
}

// TestNoWarningIsCut checks every state at all sizes from 80x24.
func TestNoWarningIsCut(t *testing.T) { golden.Uncut(t, states, shownAt) }

// TestEveryLaneThatFitsIsInView checks that the sentence takes no row that lanes need.
func TestEveryLaneThatFitsIsInView(t *testing.T) {
	for _, users := range []int{1, 64, 256} {
		if text := frame(scene(users), 80, 24).Plain(); !strings.Contains(text, fmt.Sprintf("lanes ─ %d ", users)) {
			t.Errorf("%d users:\n%s", users, text)
		}
	}
}
