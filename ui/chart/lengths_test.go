package chart

import (
	"strings"
	"testing"
)

// An axis of lengths is logarithmic where they span more than ten times, and its
// labels are of tokens.
func TestLengths(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		log    bool
		labels string
	}{
		{200, 4000, true, "200 500 1k 2k 5k"},
		{1000, 64_000, true, "1k 2k 5k 10k 20k 50k 100k"},
		{1000, 4000, false, "0 1k 2k 3k 4k"},
		{1000, 1000, false, "0 200 400 600 800 1k"},
		{1200, 1400, false, "0 500 1k 1.5k"},
		{1, 2e6, true, "1 10 100 1k 10k 100k 1M 10M"},
	} {
		var a Axis
		for range 2 { // an unchanged axis keeps its labels
			a.Lengths(c.lo, c.hi)
			var have []string
			for _, tick := range a.Ticks {
				have = append(have, tick.Label)
			}
			if text := strings.Join(have, " "); text != c.labels || a.Log != c.log {
				t.Errorf("%v to %v: %q, log %v; want %q, %v", c.lo, c.hi, text, a.Log, c.labels, c.log)
			}
		}
		for _, v := range []float64{c.lo, c.hi} {
			if _, ok := a.At(v); !ok {
				t.Errorf("%v to %v does not hold %v", c.lo, c.hi, v)
			}
		}
		a.Linear(7)
		if a.Lengths(c.lo, c.hi); a.Log != c.log {
			t.Errorf("%v to %v after another axis: log %v", c.lo, c.hi, a.Log)
		}
	}
}

// TestLengthsCostNothing holds that an unchanged axis of lengths allocates nothing.
func TestLengthsCostNothing(t *testing.T) {
	var a Axis
	a.Lengths(200, 64_000)
	if n := testing.AllocsPerRun(20, func() { a.Lengths(200, 64_000) }); n > 0 {
		t.Errorf("%.0f allocations", n)
	}
}
