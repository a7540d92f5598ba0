package live

import (
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/slo"
	"tokscope/ui/draw"
)

// earlierRuns are two runs with the workload of v, a failed one, and one with
// another workload.
func earlierRuns(v *View) []metrics.Run {
	run := func(id int, steps ...string) metrics.Run {
		old := layOut(steps...).view(-1)
		old.Stream.ID, old.Stream.Work, old.Stream.Endpoint = id, v.Stream.Work, v.Stream.Endpoint
		return metrics.Run{Stream: old.Stream, Figures: old.Figures}
	}
	v.Stream.ID = 9
	other := run(8, "reused", "prefill 9s", "20 x 90ms", "done")
	other.Stream.Work.Prompt = "something else"
	return []metrics.Run{
		run(5, "reused", "prefill 200ms", "30 x 10ms", "done"),
		run(6, "reused", "prefill 300ms", "30 x 10ms", "done"),
		run(7, "reused", "prefill 5s", "30 x 10ms", "fail"),
		other,
	}
}

func TestLensUpdatesWhileItStreams(t *testing.T) {
	const ms = time.Millisecond
	sc := func() *scripted { return layOut("reused", "prefill 600ms", "40 x 20ms", "done") }
	s, g := newPicture(), draw.New(119, 38)
	for _, c := range []struct {
		at   time.Duration
		has  []string
		not  []string
		lens string
	}{
		{at: 100 * ms, lens: "chat", has: []string{"99.9 ms  ≤ 450 ms", "used so far", "no chunk yet"}, not: []string{"to spare"}},
		{at: 400 * ms, lens: "chat", has: []string{"400 ms  ≤ 450 ms", "used so far"}, not: []string{"over"}},
		{at: 560 * ms, lens: "chat", has: []string{"✗ TTFT", "110 ms over"}},
		{at: 1100 * ms, lens: "chat", has: []string{"✗ TTFT             600 ms", "150 ms over", "✓ speed"}, not: []string{"no chunk yet"}},
		{at: 1100 * ms, lens: "agent", has: []string{"20 steps of 300 tokens take"}},
		{at: 1100 * ms, lens: "", not: []string{"lens", "≤ 450"}},
	} {
		v := sc().view(c.at)
		v.Lens, v.Task = c.lens, slo.DefaultAgentTask
		s.Draw(g, g.Bounds(), v)
		got := g.Plain()
		for _, w := range c.has {
			if !strings.Contains(got, w) {
				t.Errorf("%s at %v: %q is missing from\n%s", c.lens, c.at, w, got)
			}
		}
		for _, w := range c.not {
			if strings.Contains(got, w) {
				t.Errorf("%s at %v: %q should not be in\n%s", c.lens, c.at, w, got)
			}
		}
	}
}

// The medians come from the comparable runs before this one.
func TestLensShowsTheMedianOfEarlierRuns(t *testing.T) {
	v := scene("done")
	v.Lens, v.Runs = "chat", earlierRuns(v)
	v.Runs = append(v.Runs, metrics.Run{Stream: v.Stream, Figures: v.Figures})
	got := frame(v, 120, 40).Plain()
	for _, w := range []string{"median of 2 earlier runs", "250 ms ✓", "100 tok/s ✓"} {
		if !strings.Contains(got, w) {
			t.Errorf("%q is missing from\n%s", w, got)
		}
	}
}

func TestLensAt(t *testing.T) {
	for _, c := range []struct {
		w, h      int
		box, line bool
	}{{40, 12, false, false}, {80, 24, false, true}, {120, 30, false, true}, {120, 40, true, false}, {200, 50, true, false}, {80, 60, true, false}, {300, 18, false, false}, {0, 0, false, false}} {
		if box, line := LensAt(c.w, c.h); box != c.box || line != c.line {
			t.Errorf("%dx%d: box %v, line %v", c.w, c.h, box, line)
		}
		v := scene("done")
		v.Lens = "chat"
		shown := strings.Contains(frame(v, c.w, c.h).Plain(), "chat ✓") || strings.Contains(frame(v, c.w, c.h).Plain(), "lens ─ chat")
		if shown != (c.box || c.line) {
			t.Errorf("%dx%d shows a lens: %v", c.w, c.h, shown)
		}
	}
}

// The clock of the wait changes the lens in every frame; that stays within the
// budget of a frame.
func TestLensAllocations(t *testing.T) {
	v := scene("longwait")
	v.Lens, v.Task, v.Runs = "agent", slo.DefaultAgentTask, earlierRuns(v)
	s, g := newPicture(), draw.New(200, 50)
	if n := testing.AllocsPerRun(200, func() {
		v.Now += 1e6
		s.Draw(g, g.Bounds(), v)
	}); n > 200 {
		t.Errorf("a frame costs %.0f allocations, the budget is 200", n)
	}
}
