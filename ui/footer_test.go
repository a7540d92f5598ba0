package ui

import (
	"strings"
	"testing"
	"time"
)

// answer lets one request run to its end.
func answer(r *rig) {
	r.press("space")
	r.b.Sent()
	r.b.Advance(100 * time.Millisecond)
	for range 20 {
		r.b.Chunk("word ")
		r.b.Advance(10 * time.Millisecond)
	}
	r.b.Finish()
	r.settle()
}

// TestTheWayOutStandsLast: on every width where quit has room it is the last of
// the keys, where everybody looks for it, and at the design size the footer has
// what product and newcomer need: the length, the definitions, the file.
func TestTheWayOutStandsLast(t *testing.T) {
	for _, w := range []int{40, 80, 120, 200} {
		play(t, w, 40, Options{}, func(r *rig) {
			answer(r)
			keys, _, _ := strings.Cut(footer(r), " observer")
			if !strings.HasSuffix(strings.TrimRight(keys, " "), "  q quit") {
				t.Errorf("at %d columns the footer is %q", w, footer(r))
			}
		})
	}
	play(t, 120, 40, Options{}, func(r *rig) {
		answer(r)
		for _, want := range []string{"space again", "p prompt", "e endpoint", "l length", "d definitions", "s save"} {
			if !strings.Contains(footer(r), want) {
				t.Errorf("%q is missing from %q", want, footer(r))
			}
		}
	})
}

// TestOneObserver: after the end of a request the footer says what the panel
// says of it, not how late the program has been since.
func TestOneObserver(t *testing.T) {
	play(t, 120, 40, Options{}, func(r *rig) {
		answer(r)
		r.b.Watch.LateP99 = 700 * time.Microsecond
		r.m.sample(true)
		r.m.dirty = true
		r.wait(300 * time.Millisecond)
		r.sees("observer  0.20 ms", "observer 0.20 ms")
		r.seesNot("0.70 ms")
	})
}
