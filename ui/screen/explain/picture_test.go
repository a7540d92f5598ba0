package explain

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/uitest"
)

var sizes = [][2]int{{80, 24}, {100, 30}, {120, 40}, {160, 45}, {200, 50}, {300, 80}}

func drawn(v *View, size [2]int) (*picture, *draw.Grid) {
	s, g := &picture{}, draw.New(size[0]-1, size[1]-2)
	s.Draw(g, g.Bounds(), v)
	return s, g
}

// TestFocusIsInView checks that every size shows the lesson's panel, with a
// marked border.
func TestFocusIsInView(t *testing.T) {
	for _, size := range sizes {
		for _, focus := range []string{"timeline", "step", "roofline", "kv", "batch", "client", "whatif", "seesaw"} {
			v := sceneOf("seesaw")
			v.Explain.Tour.Lesson.Focus = focus
			s, g := drawn(v, size)
			found := false
			look := func(r draw.Rect) {
				_, role := g.At(r.X, r.Y)
				found = role == themes.BorderFocus
			}
			for _, at := range s.slots {
				if at.panel.String() == focus {
					look(at.r)
				}
			}
			if focus == "timeline" {
				for what, r := range uitest.Targets(g) {
					if what == (onTimeline{}) {
						look(r)
					}
				}
			}
			testkit.That(t, found, "%v: %s is not in view, or does not stand out", size, focus)
		}
	}
}

// TestEveryPanelIsReached checks that one key reaches every panel where not
// all fit.
func TestEveryPanelIsReached(t *testing.T) {
	for _, size := range sizes {
		for _, scene := range []string{"chunk", "seesaw"} {
			v := sceneOf(scene)
			seen := map[string]bool{}
			for range Panels {
				s, _ := drawn(v, size)
				for _, at := range s.slots {
					seen[at.panel.String()] = true
				}
				s.NextPanel(v)
			}
			for p := Step; p < Seesaw; p++ {
				testkit.That(t, seen[p.String()], "%v, %s: %s is never shown", size, scene, p)
			}
			testkit.That(t, scene != "seesaw" || seen["seesaw"], "%v: the curve is never shown", size)
		}
	}
}

// TestPreemptionFlashes checks that a new preemption is highlighted for a
// moment, and not with reduced motion. The glyph stays.
func TestPreemptionFlashes(t *testing.T) {
	v := sceneOf("preempt")
	var at float64
	for _, st := range v.Explain.Steps {
		if st.Preempted > 0 {
			at = st.End
		}
	}
	role := func(after float64, reduced bool) (themes.Role, bool) {
		v.Explain.Clock, v.Look.ReducedMotion = at+after*v.Explain.Knobs.Time, reduced
		s, g := drawn(v, [2]int{200, 50})
		for y := s.timeline.time.r.Y; y < s.timeline.time.r.Bottom(); y++ {
			for x := s.timeline.time.r.X; x < s.timeline.time.r.Right(); x++ {
				if text, st := g.At(x, y); text == "▲" {
					return st, true
				}
			}
		}
		return 0, false
	}
	for _, c := range []struct {
		after   float64
		reduced bool
		want    themes.Role
	}{{0.1, false, themes.Alert}, {0.1, true, themes.Warn}, {2, false, themes.Warn}} {
		if got, ok := role(c.after, c.reduced); !ok || got != c.want {
			t.Errorf("%g s after, reduced motion %v: role %d, drawn %v; want %d", c.after, c.reduced, got, ok, c.want)
		}
	}
}

// TestStepUnderWayGrows checks that in slow motion the running step fills its
// outline with the clock.
func TestStepUnderWayGrows(t *testing.T) {
	v := sceneOf("slow")
	d := v.Explain.Doing
	before := -1
	for _, part := range []float64{0.1, 0.35, 0.6, 0.85} {
		v.Explain.Clock = d.Start + part*(d.End-d.Start)
		s, g := drawn(v, [2]int{200, 50})
		x0, x1, _ := s.timeline.time.span(d.Start, d.End)
		solid := 0
		for x := x0; x < x1; x++ {
			if text, _ := g.At(x, s.timeline.time.r.Bottom()-1); text == "█" {
				solid++
			}
		}
		testkit.That(t, solid > before && solid < x1-x0,
			"at %.0f %% of it %d columns of %d are filled, before %d", part*100, solid, x1-x0, before)
		before = solid
	}
}

// TestWideStepAndLongGap checks that the gap line below a prefill's step is
// as long as the step, to the column.
func TestWideStepAndLongGap(t *testing.T) {
	v := sceneOf("slow")
	v.Zoom = -3
	s, g := drawn(v, [2]int{200, 50})
	y := s.timeline.time.r.Bottom() // the row of the arrivals
	var dots []int
	for x := s.timeline.time.r.X; x < s.timeline.time.r.Right(); x++ {
		if text, _ := g.At(x, y); text == "●" {
			dots = append(dots, x)
		}
	}
	wide := 0
	for _, st := range v.Explain.Steps {
		if x0, x1, _ := s.timeline.time.span(st.Start, st.End); st.Prefilled > 0 && st.Decodes > 0 &&
			x0 > s.timeline.time.r.X && x1 < s.timeline.time.r.Right() {
			for i := 1; i < len(dots); i++ {
				if d := dots[i] - x1; d >= -1 && d <= 1 && dots[i]-dots[i-1] >= x1-x0-1 {
					wide++
				}
			}
		}
	}
	testkit.That(t, wide >= 3, "%d steps of the prompt have a gap of their length below them; chunks at %v", wide, dots)
}

// TestTheCursorsStepIsTheOneShown checks that batch, cache, roofline and
// client show the step at the cursor, not the newest.
func TestTheCursorsStepIsTheOneShown(t *testing.T) {
	v := sceneOf("past")
	st := v.step()
	testkit.Given(t, st.Prefilled != 0, "the scene looks at no prefill")
	s, g := drawn(v, [2]int{120, 40})
	text := g.Plain()
	testkit.Has(t, text, fmt.Sprintf("step %d", st.Number), fmt.Sprintf("prefill %d + %d", st.Prefilled, st.Decodes),
		"compute-bound", "▓ prefill")
	last := v.lastChunk(&v.Explain.Watched)
	testkit.Is(t, v.Explain.Watched.Steps[last], st.Number, "the client is shown as of step")
	testkit.Is(t, s.now.step.Number, st.Number, "step … is taken apart")
}

// TestEarlierRequestsAreHeard checks that the timeline keeps the chunks of
// the watched user's previous request. A step of that request shows its text.
// Another user begins without a past.
func TestEarlierRequestsAreHeard(t *testing.T) {
	v := sceneOf("chunk")
	s, g := drawn(v, [2]int{120, 40})
	row := func() string {
		return strings.Split(g.Plain(), "\n")[s.timeline.time.r.Bottom()]
	}
	before := strings.Count(row(), "●")
	old := v.Explain.Watched
	v.Explain.Watched = serving.Watched{User: old.User, Stream: metrics.Stream{ID: old.Stream.ID + 1,
		State: metrics.Waiting, Usage: metrics.NoUsage()}}
	s.Draw(g, g.Bounds(), v)
	got := strings.Count(row(), "●")
	testkit.That(t, got == before && before >= 5, "%d chunks are on the timeline, %d before the next request", got, before)
	testkit.Has(t, g.Plain(), "waits for its first token")
	v.Cursor = old.Steps[len(old.Steps)-3]
	s.Draw(g, g.Bounds(), v)
	testkit.Has(t, g.Plain(), "weight")
	v.Cursor, v.Explain.Watched.User = 0, old.User+1
	s.Draw(g, g.Bounds(), v)
	testkit.Is(t, strings.Count(row(), "●"), 0, "chunks of another user stayed")
}

// TestTheBatchCountsWhatItKnows checks that requests without a row are
// counted by state only where all states are known.
func TestTheBatchCountsWhatItKnows(t *testing.T) {
	for _, more := range []int{0, 90} {
		v := sceneOf("many")
		v.Panel = Batch
		st := &v.Explain.Steps[len(v.Explain.Steps)-1]
		st.More = more
		_, g := drawn(v, [2]int{120, 40})
		_, row, ok := strings.Cut(g.Plain(), "and ")
		row, _, _ = strings.Cut(row, "│")
		testkit.That(t, ok && strings.Contains(row, "decode") == (more == 0), "%d are not told of: and %s", more, row)
	}
}

// TestRoofOfNoMachine checks a machine whose peak or bandwidth is none: it has no roof.
func TestRoofOfNoMachine(t *testing.T) {
	for _, c := range []struct{ peak, bandwidth float64 }{{535, 6e-306}, {6e-306, 535}, {0, 1}, {1, math.NaN()},
		{1e21, 1e12}} {
		v := sceneOf("decode")
		v.Explain.Machine.Peak, v.Explain.Machine.Bandwidth = c.peak, c.bandwidth
		for i := range v.Explain.Steps {
			v.Explain.Steps[i].Machine = &v.Explain.Machine
		}
		if _, g := drawn(v, [2]int{200, 50}); !strings.Contains(g.Plain(), "no machine runs") {
			t.Errorf("%v FLOP/s, %v B/s:\n%s", c.peak, c.bandwidth, g.Plain())
		}
	}
}

// TestAStepOfAnotherMachine checks a step from before a change of hardware.
// It is drawn under the old roof, without dots of the present one, with the
// old cache's size.
func TestAStepOfAnotherMachine(t *testing.T) {
	v := sceneOf("chunk")
	steps := v.Explain.Steps
	now, old := v.Explain.Machine, v.Explain.Machine
	old.Peak, old.Bandwidth, old.KVCapacity = 165e12, 1008e9, 27008
	last := len(steps) - 1
	for i := range steps {
		steps[i].Machine, steps[i].KV = &old, 0.5
		if i == last {
			steps[i].Machine = &now
		}
	}
	text := func() string {
		_, g := drawn(v, [2]int{200, 50})
		return g.Plain()
	}
	dots := func(s string) (n int) { // inside the axes of the roofline
		_, rows, _ := strings.Cut(s, "╭ roofline")
		rows, _, _ = strings.Cut(rows, "FLOP/B")
		for _, row := range strings.Split(rows, "\n") {
			if cells := []rune(row); len(cells) > 150 {
				n += strings.Count(string(cells[80:140]), "○") + strings.Count(string(cells[80:140]), "·")
			}
		}
		return n
	}
	held := func(m *serving.Machine) string {
		return "held " + format.Amount(0.5*float64(m.KVCapacity)*m.KVToken, "B")
	}
	newest := text()
	if !strings.Contains(newest, "roof 989 TFLOP/s") || !strings.Contains(newest, held(&now)) || dots(newest) != 0 {
		t.Errorf("the newest step, %d dots of another machine:\n%s", dots(newest), newest)
	}
	v.Cursor = steps[last-1].Number
	before := text()
	if !strings.Contains(before, "roof 165 TFLOP/s, 1.01 TB/s") || !strings.Contains(before, held(&old)) ||
		!strings.Contains(before, "previous setting") || dots(before) == 0 {
		t.Errorf("a step of the previous setting, %d dots, want %q:\n%s", dots(before), held(&old), before)
	}
}

// lensOn chooses a lens for v.
func lensOn(v *View, key string) *View {
	v.Look.Lens, v.Look.Task = key, slo.DefaultAgentTask
	return v
}

// LensAs tells where the lens is drawn at every size. Where it does not fit,
// nothing of it is drawn.
func TestLensAs(t *testing.T) {
	for _, c := range []struct {
		scene string
		w, h  int
		want  LensAs
		shown string
	}{
		{"chunk", 40, 12, LensNone, ""},
		{"chunk", 80, 24, LensLine, "voice ✓ TTFT"},
		{"chunk", 120, 30, LensLine, "voice ✓ TTFT"},
		{"chunk", 120, 40, LensTile, "lens ─ voice"},
		{"chunk", 200, 50, LensBox, fmt.Sprintf("lens ─ voice ─ mean of %d requests",
			sceneOf("chunk").Explain.Figures.Requests)},
		{"phases", 80, 24, LensLine, "voice ✓ TTFT"},
		{"phases", 120, 40, LensTile, "lens ─ voice"},
		{"phases", 200, 50, LensBox, "lens ─ voice"},
		{"uses", 40, 12, LensNone, ""},
		{"uses", 80, 24, LensBoard, "✓ agent step"},
		{"uses", 120, 40, LensBoard, "✓ batch"},
		{"uses", 200, 50, LensBoard, "✓ batch"},
	} {
		s := &picture{}
		v := lensOn(sceneOf(c.scene), "voice")
		at := draw.Rect{W: c.w - 1, H: c.h - 2}
		testkit.Is(t, s.lensAs(at, v), c.want, c.scene, c.w, "x", c.h)
		got := frame(v, c.w, c.h).Plain()
		testkit.That(t, (c.shown != "" || !strings.Contains(got, "≤")) && strings.Contains(got, c.shown),
			"%s, %dx%d: want %q in\n%s", c.scene, c.w, c.h, c.shown, got)
		if v.Look.Lens = ""; c.want != LensBoard && s.lensAs(at, v) != LensNone {
			t.Errorf("%s, %dx%d: a lens that is off is shown", c.scene, c.w, c.h)
		}
	}
}

// A lens in the place of a panel moves no other panel. One key shows the
// replaced panel.
func TestTheLensMovesNothing(t *testing.T) {
	slots := func(s *picture, v *View) map[Panel]draw.Rect {
		g := draw.New(119, 38)
		s.Draw(g, g.Bounds(), v)
		at := map[Panel]draw.Rect{}
		for _, sl := range s.slots {
			at[sl.panel] = sl.r
		}
		return at
	}
	s := &picture{}
	v := sceneOf("chunk")
	off, on := slots(s, v), slots(s, lensOn(v, "chat"))
	for p := range off {
		_, ok := on[p]
		testkit.That(t, ok != (p == KV), "with a lens %s is shown: %v", p, ok)
	}
	for _, p := range [...]Panel{Batch, Client, WhatIf} {
		testkit.Is(t, on[p], off[p], p, "moved from … to")
	}
	s.NextPanel(v)
	testkit.Need(t, v.Panel, KV, "the key for other panels shows")
	if got := slots(s, v); got[KV].Empty() || got[Lens].Empty() || !got[Roofline].Empty() {
		t.Errorf("the cache is not in the place of the roofline: %+v", got)
	}
}
