package load

import (
	"fmt"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/uitest/golden"
)

// frame draws v as the root would on a terminal of w by h, without its rows.
func frame(v *View, w, h int) *draw.Grid {
	g := draw.New(max(w-1, 0), max(h-2, 0))
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
	for _, size := range [][2]int{{120, 40}, {200, 50}} {
		golden.Screen(t, fmt.Sprintf("varied-%dx%d", size[0], size[1]), frame(varied(8, fitted(12.3, 0.0221, 0.978, 200)), size[0], size[1]))
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

// fitted is a fit that is known.
func fitted(a, b, r2 float64, n int) *metrics.TTFTFit {
	return &metrics.TTFTFit{A: metrics.Known(a, n), B: metrics.Known(b, n), R2: metrics.Known(r2, n), Off: metrics.Known(2, n), N: n}
}

// varied is a load of n users whose prompts vary in length.
func varied(n int, f *metrics.TTFTFit) *View {
	v := scene(n)
	v.Load.Input, v.Load.Live.Fit = metrics.Lengths{Low: 200, High: 4000}, f
	return v
}

// What of TTFT belongs to the length of the prompt stands there where prompts
// vary, or why it is not known, and nothing where they do not.
func TestFitOfTheLengths(t *testing.T) {
	few := metrics.NoFit(5, "needs n ≥ 8")
	for _, x := range []struct {
		name string
		f    *metrics.TTFTFit
		w    int
		want string
	}{
		{"wide", fitted(12.3, 0.0221, 0.978, 200), 200, "TTFT = 12 ms + 22 ms/1k prompt tokens R² 0.98 n 200"},
		{"design size", fitted(12.3, 0.0221, 0.978, 200), 120, "TTFT = 12 ms + 22 ms/1k R² 0.98"},
		{"falls", fitted(300, -0.0021, 0, 200), 120, "TTFT = 300 ms - 2.1 ms/1k R² 0.00"},
		{"begins below nothing", fitted(-4, 0.062, 0.999, 200), 120, "TTFT = -4.0 ms + 62 ms/1k R² 0.99"},
		{"too few", &few, 200, "TTFT by length: needs n ≥ 8"},
		{"one length", nil, 200, ""},
	} {
		have := plain(varied(8, x.f), x.w, 40)
		if x.want != "" && !strings.Contains(have, x.want) || x.want == "" && strings.Contains(have, "/1k") {
			t.Errorf("%s: no %q in\n%s", x.name, x.want, have)
		}
	}
}
