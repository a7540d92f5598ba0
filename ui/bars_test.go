package ui

import (
	"strings"
	"testing"
	"time"

	"tokscope/themes"
	"tokscope/ui/draw"
)

// TestTheWayOutStandsLast checks that quit is the last key at every width
// that fits it.
func TestTheWayOutStandsLast(t *testing.T) {
	for _, w := range []int{40, 80, 120, 200} {
		play(t, "live", w, 40, Options{}, func(r *harness) {
			answer(r)
			keys, _, _ := strings.Cut(footer(r), " lag")
			if !strings.HasSuffix(strings.TrimRight(keys, " "), "  q quit") {
				t.Errorf("at %d columns the footer is %q", w, footer(r))
			}
		})
	}
}

// TestLatenessThatTouchedNothingIsNoAlarm checks that the lag has no color if
// the kernel took all stamps of the request, or if it has none.
func TestLatenessThatTouchedNothingIsNoAlarm(t *testing.T) {
	for name, c := range map[string]struct {
		kernel, user int
		alarm        bool
	}{"kernel": {kernel: 20}, "none": {}, "user": {user: 20, alarm: true}} {
		play(t, "live", 120, 40, Options{}, func(r *harness) {
			r.b.Watch.LateP99, r.b.Watch.KernelStamps, r.b.Watch.UserStamps = 3*time.Millisecond, c.kernel, c.user
			answer(r)
			foot := r.m.look.H - 1
			before, _, ok := strings.Cut(footer(r), "lag 3.00 ms")
			if _, role := r.m.surface.grid.At(draw.Width(before), foot); !ok || (role == themes.Warn) != c.alarm {
				t.Errorf("%s: drawn in role %v: %q", name, role, footer(r))
			}
		})
	}
}

// TestFooterNamesTheRequests checks that the footer of Load names the list of
// requests while a load runs, also where it has a change to take back: nothing else
// on the screen names the list.
func TestFooterNamesTheRequests(t *testing.T) {
	for _, change := range []func(*harness){
		func(r *harness) {},
		func(r *harness) { r.press("right") },
		func(r *harness) { r.users("40/s") },
		func(r *harness) { r.press("o"); r.typed("ttft=2s"); r.press("enter") },
		func(r *harness) { r.press("p"); r.typed("x"); r.press("ctrl+r") },
	} {
		play(t, "load", 120, 40, Options{}, func(r *harness) {
			r.press("tab")
			r.press("space")
			change(r)
			r.wait(time.Second)
			const lag = 14 // columns of a load with figures
			before, _, there := strings.Cut(footer(r), "/ list")
			if !there || draw.Width(before+"/ list  q quit") > 119-lag || !strings.Contains(footer(r), "  q quit ") {
				t.Errorf("the footer is %q", footer(r))
			}
		})
	}
}
