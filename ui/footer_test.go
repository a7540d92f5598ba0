package ui

import (
	"strings"
	"testing"
	"time"

	"tokscope/themes"
	"tokscope/ui/draw"
)

// answer lets one request run to its end.
func answer(r *harness) {
	r.press("space")
	r.b.Sent()
	r.b.Advance(100 * time.Millisecond)
	for range 20 {
		r.b.Chunk("word ")
		r.b.Advance(10 * time.Millisecond)
	}
	r.b.Finish()
	r.drain()
}

// TestTheWayOutStandsLast: on every width where quit has room it is the last of
// the keys, where everybody looks for it, and at the design size the footer has
// what product and newcomer need: the length, the definitions, the file.
func TestTheWayOutStandsLast(t *testing.T) {
	for _, w := range []int{40, 80, 120, 200} {
		play(t, w, 40, Options{}, func(r *harness) {
			answer(r)
			keys, _, _ := strings.Cut(footer(r), " observer")
			if !strings.HasSuffix(strings.TrimRight(keys, " "), "  q quit") {
				t.Errorf("at %d columns the footer is %q", w, footer(r))
			}
		})
	}
	play(t, 120, 40, Options{}, func(r *harness) {
		answer(r)
		for _, want := range []string{"space again", "p prompt", "e endpoint", "l length", "d definitions", "s save"} {
			if !strings.Contains(footer(r), want) {
				t.Errorf("%q is missing from %q", want, footer(r))
			}
		}
	})
}

// TestLatenessThatTouchedNothingIsNoAlarm: of a request whose stamps are all the
// kernel's, or that came to none, the footer tells the lateness without a colour.
func TestLatenessThatTouchedNothingIsNoAlarm(t *testing.T) {
	for name, c := range map[string]struct {
		kernel, user int
		alarm        bool
	}{"kernel": {kernel: 20}, "none": {}, "user": {user: 20, alarm: true}} {
		play(t, 120, 40, Options{}, func(r *harness) {
			r.b.Watch.LateP99, r.b.Watch.KernelStamps, r.b.Watch.UserStamps = 3*time.Millisecond, c.kernel, c.user
			answer(r)
			foot := r.m.h - 1
			before, _, ok := strings.Cut(footer(r), "observer 3.0 ms")
			if _, role := r.m.grid.At(draw.Width(before), foot); !ok || (role == themes.Warn) != c.alarm {
				t.Errorf("%s: drawn in role %v: %q", name, role, footer(r))
			}
		})
	}
}

// TestOneObserver: after the end of a request the footer says what the panel
// says of it, not how late the program has been since.
func TestOneObserver(t *testing.T) {
	play(t, 120, 40, Options{}, func(r *harness) {
		answer(r)
		r.b.Watch.LateP99 = 700 * time.Microsecond
		r.m.sample(true)
		r.m.dirty = true
		r.wait(300 * time.Millisecond)
		r.sees("observer  0.20 ms", "observer 0.20 ms")
		r.seesNot("0.70 ms")
	})
}
