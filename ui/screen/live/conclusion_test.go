package live

import (
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/screen"
)

// TestTheClocksAgree holds that the running clock of the row is that of the
// figures in every frame of a wait, whenever the figures were computed.
func TestTheClocksAgree(t *testing.T) {
	sc := layOut("reused", "prefill 12s")
	b := &sessionBackend{runs: make([]metrics.Run, 1)}
	v := onRuns(b, &screen.Look{Glyphs: themes.UnicodeGlyphs()})
	v.view.Max = NoPanel
	for at := 30 * time.Millisecond; at < 900*time.Millisecond; at += 33 * time.Millisecond {
		b.runs[0].Stream = sc.at(at)
		b.left++ // another version
		v.Sample(b.runs[0].Stream.Now, false)
		g := draw.New(119, 38)
		v.Draw(g, g.Bounds())
		row, rest, _ := strings.Cut(g.Plain(), "\n")
		clock, _, _ := strings.Cut(strings.TrimPrefix(row, " No token for "), ";")
		if !strings.Contains(rest, "wait "+clock) {
			t.Fatalf("after %v the row says %q and the panel does not", at, row)
		}
	}
}
