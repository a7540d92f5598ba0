package draw

import (
	"math"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/themes"
)

// Strings of a frame stay valid after the next frame has begun.
func TestKept(t *testing.T) {
	var k Canvas
	k.Begin(nil, nil)
	b := []byte("41 ms")
	a := k.Keep(b)
	copy(b, "99999")
	c := k.Keep(b)
	k.Begin(nil, nil)
	if d := k.Keep([]byte("other")); a != "41 ms" || c != "99999" || d != "other" {
		t.Errorf("%q %q %q", a, c, d)
	}
}

// A frame costs one allocation once its size is known.
func TestFrameAllocation(t *testing.T) {
	var k Canvas
	gl := themes.UnicodeGlyphs()
	b := []byte(strings.Repeat("x", 50))
	testkit.Allocates(t, 1, 100, func() {
		k.Begin(nil, gl)
		for range 200 {
			k.Keep(b)
		}
	}, "a frame")
}

func TestHeat(t *testing.T) {
	for ms, want := range map[float64]int{-1: 0, 0: 0, GapMin: 0, math.Inf(1): themes.Levels - 1, GapMax: themes.Levels - 1, math.NaN(): 0} {
		if got := Heat(ms); got != want {
			t.Errorf("a gap of %g ms has the heat %d, want %d", ms, got, want)
		}
	}
	for ms, last := GapMin, 0; ms < 2*GapMax; ms *= 1.1 {
		if h := Heat(ms); h < last || h >= themes.Levels {
			t.Errorf("%g ms has the heat %d after %d", ms, h, last)
		} else {
			last = h
		}
	}
}
