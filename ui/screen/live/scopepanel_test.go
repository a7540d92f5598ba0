package live

import (
	"strings"
	"testing"
	"time"

	"tokscope/themes"
	"tokscope/ui/format"
)

// TestASilenceHasAMark checks that the scope shows a gap under way, as long as it is.
func TestASilenceHasAMark(t *testing.T) {
	for _, size := range sizes {
		if g := frame(stallOf(6*time.Second), size[0], size[1]); !strings.ContainsAny(g.Plain(), "▲") {
			t.Errorf("%v: no mark for the gap under way\n%s", size, g.Plain())
		}
	}
	for _, at := range []time.Duration{2500, 4000, 9000} {
		v := stallOf(at * ms)
		clock, unit := format.AppendStopwatch(nil, float64(v.Now-v.Stream.LastData)/1e6)
		for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
			if n := strings.Count(frame(v, size[0], size[1]).Plain(), string(clock)+" "+unit); n < 4 { // headline, text, band, mark
				t.Errorf("%v after %v: %s %s is %d times on the screen", size, at, clock, unit, n)
			}
		}
	}
}

// TestEarlierRunsAreDim checks that a run of the same endpoint, model and
// workload stays in view, and one of another endpoint does not.
func TestEarlierRunsAreDim(t *testing.T) {
	dim := func(v *View) int {
		g, n := frame(v, 120, 40), 0
		for y := range 38 {
			for x := range 90 {
				if text, st := g.At(x, y); st == themes.Faint && text != "─" && !strings.Contains(" ┄·", text) {
					n++
				}
			}
		}
		return n
	}
	v := scene("waiting")
	if n := dim(v); n < 40 {
		t.Errorf("%d dim cells of two earlier runs", n)
	}
	for i := range v.Runs {
		v.Runs[i].Stream.Endpoint.URL = "https://elsewhere.example/v1"
	}
	if n := dim(v); n != 0 {
		t.Errorf("%d dim cells of another endpoint's runs", n)
	}
}
