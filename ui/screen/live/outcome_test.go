package live

import (
	"testing"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/screen"
)

// TestHeaderHasTheSignOfTheLists: the header has the sign and the color of an outcome
// that every list has.
func TestHeaderHasTheSignOfTheLists(t *testing.T) {
	gl := themes.UnicodeGlyphs()
	v := Screen{look: &screen.Look{Glyphs: gl}}
	for _, s := range []metrics.State{metrics.Done, metrics.Failed, metrics.Truncated, metrics.Cancelled} {
		v.phase = s
		sign, role := v.state()
		if want, color := draw.Outcome(gl, s); sign != want || role != color {
			t.Errorf("%v: %q, %v in the header, %q, %v in a list", s, sign, role, want, color)
		}
	}
}
