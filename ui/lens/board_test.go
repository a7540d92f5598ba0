package lens

import (
	"fmt"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/metrics/slo"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/uitest/golden"
)

// engine is what an engine measured: the mean of 14 requests.
func engine(ttft, tpot, gap float64) slo.LensFigures {
	f := serving.EngineFigures{Requests: 14, TTFT: metrics.Known(ttft, 14), TPOT: metrics.Known(tpot, 14), Speed: metrics.Known(1000/tpot, 14),
		MaxGap: metrics.Known(gap, 900), Total: metrics.Known(2000/tpot, 900)}
	return slo.LensOfEngine(&f, 40)
}

var (
	long      = engine(1500, 27.8, 31) // a long prompt: voice and chat miss, batch is unaffected
	nothing   = slo.LensOfEngine(&serving.EngineFigures{MaxGap: metrics.Unknown(metrics.WhyNoPairs)}, 40)
	predicted = slo.LensOfPrediction(&serving.Prediction{Knobs: serving.Knobs{Users: 1, Output: 40}, EngineFigures: serving.EngineFigures{
		TTFT: metrics.Known(1502, 1), TPOT: metrics.Known(27.8, 1), Speed: metrics.Known(36, 1), Total: metrics.Known(14.4, 1)}})
)

// The goldens hold boards and tiles in the sizes of the Explain screen.
func TestGoldenBoard(t *testing.T) {
	var b strings.Builder
	for _, gl := range []*themes.Glyphs{themes.UnicodeGlyphs(), themes.ASCIIGlyphs()} {
		for _, size := range [][2]int{{30, 7}, {37, 11}, {72, 13}, {135, 15}} {
			if gl.ASCII && size[0] != 72 {
				continue
			}
			for i, f := range [...]slo.LensFigures{long, nothing} {
				if i == 1 && size[0] != 72 {
					continue
				}
				var board Board
				board.Update(slo.DefaultAgentTask, f, predicted, gl)
				g := draw.New(size[0], size[1])
				board.Draw(on(g, gl), g.Bounds(), "voice", themes.Border)
				fmt.Fprintf(&b, "# board, %dx%d\n%s\n", size[0], size[1], g.Plain())
			}
		}
		for _, size := range [][2]int{{28, 8}, {30, 12}, {39, 12}, {48, 14}} {
			for _, l := range slo.Lenses() {
				if gl.ASCII && (size[0] != 39 || l.Key != "agent") {
					continue
				}
				for i, f := range [...]slo.LensFigures{long, nothing} {
					if i == 1 && size[0] != 39 {
						continue
					}
					var p Panel
					p.Update(l.Key, slo.DefaultAgentTask, f, predicted, gl)
					g := draw.New(size[0], size[1])
					p.Tile(on(g, gl), g.Bounds(), themes.Border)
					fmt.Fprintf(&b, "# %s, %dx%d\n%s\n", l.Key, size[0], size[1], g.Plain())
				}
			}
		}
	}
	golden.Text(t, "board", b.String())
}

// The tightest budget is the most used one, and a use is as good as its worst
// verdict.
func TestTheTightestBudget(t *testing.T) {
	gl := themes.UnicodeGlyphs()
	var b Board
	for _, c := range []struct {
		f    slo.LensFigures
		want [4]string
	}{
		{long, [4]string{"✗ TTFT", "✗ TTFT", "✗ TTFT", "✓ total"}},
		{engine(20, 30, 31), [4]string{"✓ speed", "✓ speed", "! step", "✓ total"}},
		{nothing, [4]string{"–", "–", "–", "–"}},
	} {
		b.Update(slo.DefaultAgentTask, c.f, predicted, gl)
		for i := range b.panels {
			p := &b.panels[i]
			got := string(p.sign)
			if p.tightest >= 0 {
				got += " " + p.rows[p.tightest].v.Metric
			}
			if got != c.want[i] {
				t.Errorf("%s: %s, want %s", p.lens.Key, got, c.want[i])
			}
		}
	}
}
