package live

import (
	"strings"
	"testing"
	"time"

	"tokscope/themes"
)

// TestASilenceHasAStem checks that the scope shows a gap under way, as long as it is.
func TestASilenceHasAStem(t *testing.T) {
	for _, size := range sizes {
		if g := frame(stallOf(6*time.Second), size[0], size[1]); !strings.ContainsAny(g.Plain(), "⣿⣤") {
			t.Errorf("%v: no stem for the gap under way\n%s", size, g.Plain())
		}
	}
	top := 99
	for _, at := range []time.Duration{1500, 1800, 2500, 4000, 9000} {
		for y, row := range strings.Split(frame(stallOf(at*ms), 120, 40).Plain(), "\n") {
			if strings.Contains(row, "⣿") {
				if y > top {
					t.Errorf("after %d ms the stem ends in row %d, before it in row %d", at, y, top)
				}
				top = y
				break
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
				if text, st := g.At(x, y); st == themes.Faint && text != "─" && text != " " && text != "┄" {
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
