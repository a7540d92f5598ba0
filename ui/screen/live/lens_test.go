package live

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
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

func TestLensAt(t *testing.T) {
	for _, c := range []struct {
		w, h      int
		box, line bool
	}{{40, 12, false, false}, {80, 24, false, true}, {120, 30, false, true}, {120, 40, true, false}, {200, 50, true, false}, {80, 60, true, false}, {300, 18, false, false}, {0, 0, false, false}} {
		if box, line := LensAt(c.w, c.h); box != c.box || line != c.line {
			t.Errorf("%dx%d: box %v, line %v", c.w, c.h, box, line)
		}
	}
}

// The clock of the wait changes the lens in every frame; that stays within the
// budget of a frame.
func TestLensAllocations(t *testing.T) {
	v := scene("longwait")
	v.Lens, v.Task, v.Runs = "agent", slo.DefaultAgentTask, earlierRuns(v)
	s, g := newPicture(), draw.New(200, 50)
	testkit.Allocates(t, 200, 200, func() {
		v.Now += 1e6
		s.Draw(g, g.Bounds(), v)
	}, "a frame")
}
