package live

import (
	"strings"
	"testing"
	"time"

	"tokscope/themes"
	"tokscope/ui/draw"
)

// TestTheSignsHaveALegend checks that the scope explains its signs. The line
// of the reading pace keeps its words beside a stall.
func TestTheSignsHaveALegend(t *testing.T) {
	for _, name := range []string{"waiting", "decoding", "done", "length", "stalled"} {
		for _, size := range [][2]int{{120, 40}, {200, 50}} {
			g := frame(scene(name), size[0], size[1])
			find(t, g, "▲ stalls ")
			find(t, g, "╎ bursts ")
		}
	}
	v := layOut("reused", "prefill 90ms", "90 x 10ms", "stall 2s", "10 x 10ms", "done").view(-1)
	find(t, frame(v, 120, 40), " reading pace ")
}

// TestCostOfStalls checks that the cost beside the number of stalls is theirs, and
// not that of other uneven gaps.
func TestCostOfStalls(t *testing.T) {
	v := layOut("reused", "prefill 90ms", "80 x 20ms", "stall 2s", "50 x 40ms", "done").view(-1)
	find(t, frame(v, 120, 40), "cost 1.98 s, 35 % ")
	if cost := v.Figures.StallCost.V; cost < 2900 {
		t.Errorf("against even gaps the stream lost %v ms", cost)
	}
}

// TestASilenceIsSeenWhileItLasts checks that state, longest gap and scope
// show a stall before it ends.
func TestASilenceIsSeenWhileItLasts(t *testing.T) {
	steps := []string{"reused", "prefill 90ms", "60 x 20ms", "stall 40s", "done"}
	for _, size := range sizes {
		g := frame(layOut(steps...).view(6*time.Second), size[0], size[1])
		find(t, g, "▲ stalled")
		if size[1] > 12 {
			find(t, g, "longest")
			find(t, g, "4.71 s")
			if size[0] > 80 {
				find(t, g, "still going on")
				find(t, g, "cost at its end")
			}
		}
		if !strings.ContainsAny(g.Plain(), "⣿⣤") {
			t.Errorf("%v: no stem for the gap under way\n%s", size, g.Plain())
		}
	}
	find(t, frame(layOut(steps...).view(1600*time.Millisecond), 80, 24), "decoding")
	// The stem grows with the silence and is as long as it.
	top := 99
	for _, at := range []time.Duration{1500, 1800, 2500, 4000, 9000} {
		g := frame(layOut(steps...).view(at*time.Millisecond), 120, 40)
		for y, row := range strings.Split(g.Plain(), "\n") {
			if x := strings.Index(row, "⣿"); x >= 0 {
				if y > top {
					t.Errorf("after %d ms the stem ends in row %d, before it in row %d", at, y, top)
				}
				top = y
				break
			}
		}
	}
	// A server that takes a second and a half for every token is slow, not stuck.
	slow := layOut("reused", "prefill 90ms", "9 x 1.5s", "done").view(12 * time.Second)
	find(t, frame(slow, 80, 24), "decoding")
	find(t, frame(slow, 120, 40), "nothing for 1.41 s")
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

// TestScopeAtEverySize draws the scope of every state at every width and
// height, and checks that it never leaves the figures out.
func TestScopeAtEverySize(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {60, 15}, {72, 19}, {80, 24}, {100, 30}, {120, 40}, {200, 50}, {300, 80}} {
		for _, name := range states {
			text := frame(scene(name), size[0], size[1]).Plain()
			for _, want := range []string{"TTFT", "SPEED"} {
				early := failedEarly(&scene(name).Stream) // the failure has their room
				if !strings.Contains(text, want) && name != "idle" && !early {
					t.Errorf("%s at %v has no %s", name, size, want)
				}
			}
			for row := range strings.SplitSeq(text, "\n") {
				if strings.Contains(row, "wait ") && strings.Contains(row, "│ wait") && draw.Width(row) > size[0] {
					t.Errorf("%s at %v: %q", name, size, row)
				}
			}
		}
	}
}
