package live

import (
	"math"
	"regexp"
	"testing"
	"time"
)

// TestABarEndsAtItsNumber checks that a gap of 10 ms ends in the middle of
// the row labeled 10 ms. The line of the pace is in the row nearest to its
// gap.
func TestABarEndsAtItsNumber(t *testing.T) {
	for _, h := range []int{5, 10, 20} {
		for i, d := range decades {
			at := rise(d.ms, h) * float64(h)
			if want := float64(h) - 0.5 - float64(i*h)/5; math.Abs(at-want) > 1e-9 {
				t.Errorf("%s lies at %.2f of %d rows, its number at %.2f", d.text, at, h, want)
			}
		}
	}
	v := layOut("reused", "prefill 90ms", "30 x 10ms", "done").view(-1)
	for _, size := range sizes[1:] {
		find(t, frame(v, size[0], size[1]), " 10 ms ┤▄▄▄▄")
	}
	find(t, frame(scene("decoding"), 80, 24), "100 ms ┤┄┄┄┄")
	if rowOf(rise(0.01, 5), 5) != 0 {
		t.Error("a known gap below the scale has no trace")
	}
}

// TestALegendOfItsMarks checks that the strip explains its marks while it has
// any. The reading line keeps its words beside a stall.
func TestALegendOfItsMarks(t *testing.T) {
	for _, name := range []string{"waiting", "decoding", "done", "length", "stalled"} {
		for _, size := range sizes[1:] {
			g := frame(scene(name), size[0], size[1])
			find(t, g, "▲ stalls ")
			find(t, g, "╎ bursts ")
		}
	}
	v := layOut("reused", "prefill 90ms", "90 x 10ms", "stall 2s", "10 x 10ms", "done").view(-1)
	find(t, frame(v, 120, 40), "│┄┄┄ reading pace")
}

// TestASilenceIsSeenWhileItLasts checks that state, longest gap and strip
// show a stall before it ends.
func TestASilenceIsSeenWhileItLasts(t *testing.T) {
	open := regexp.MustCompile(`░ *│?\n`)
	steps := []string{"reused", "prefill 90ms", "60 x 20ms", "stall 40s", "done"}
	for _, size := range sizes {
		g := frame(layOut(steps...).view(6*time.Second), size[0], size[1])
		find(t, g, "▲ stalled")
		if size[1] > 12 {
			find(t, g, "longest")
			find(t, g, "4.71 s")
			if size[0] > 80 {
				find(t, g, "still going on")
			}
		}
		if !open.MatchString(g.Plain()) {
			t.Errorf("%v: no column for the gap under way\n%s", size, g.Plain())
		}
	}
	find(t, frame(layOut(steps...).view(2*time.Second), 80, 24), "decoding")
	// A server that takes a second and a half for every token is slow, not stuck.
	slow := layOut("reused", "prefill 90ms", "9 x 1.5s", "done").view(12 * time.Second)
	find(t, frame(slow, 80, 24), "decoding")
	find(t, frame(slow, 120, 40), "nothing for 1.41 s")
}
