package live

import (
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/uitest/golden"
)

// TestEveryViewInASCII draws every state and lens without Unicode, with its
// figures from microseconds to hours. A random test meets few of these.
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
	for name, view := range views {
		for _, factor := range []float64{1e-5, 1, 1e5} {
			v := view()
			golden.Scale(v, factor)
			v.Glyphs = themes.ASCIIGlyphs()
			for _, size := range sizes {
				text := strings.ReplaceAll(frame(v, size[0], size[1]).Plain(), "␛", "") // the server's own, which is shown
				if i := strings.IndexFunc(text, func(r rune) bool { return r > '~' }); i >= 0 {
					t.Errorf("%s, figures times %g, %v: %.20q", name, factor, size, text[i:])
				}
			}
		}
	}
}
