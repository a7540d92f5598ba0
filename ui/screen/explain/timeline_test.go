package explain

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/metrics/testkit"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/screen"
)

// rowsOfTimeline are the rows of the timeline in plain text, without its gutter.
func rowsOfTimeline(s *picture, g *draw.Grid) []string {
	lines := strings.Split(g.Plain(), "\n")
	var out []string
	for y := s.timeline.time.r.Y; y < s.timeline.time.r.Bottom(); y++ {
		row := []rune(lines[y] + strings.Repeat(" ", s.timeline.time.r.Right()))
		out = append(out, string(row[s.timeline.time.r.X:s.timeline.time.r.Right()]))
	}
	return out
}

// TestTimelineScrolls checks that the past moves left by whole columns, the
// same for all rows, and does not change.
func TestTimelineScrolls(t *testing.T) {
	for _, scene := range []string{"decode", "chunk", "many", "pools"} {
		v := sceneOf(scene)
		v.Explain.Doing, v.Explain.Marks = nil, nil
		s, g := &picture{}, draw.New(119, 38)
		s.Draw(g, g.Bounds(), v)
		before, first := rowsOfTimeline(s, g), s.timeline.time.first
		moved := int64(0)
		for range 60 {
			v.Explain.Clock += 0.37 * s.timeline.zoom.column
			v.Explain.Now += screen.FiguresEvery / 3
			s.Draw(g, g.Bounds(), v)
			now := rowsOfTimeline(s, g)
			by := s.timeline.time.first - first
			testkit.Given(t, by >= moved, "%s: the picture moved back from %d columns to %d", scene, moved, by)
			moved = by
			for y := range before {
				a, b := []rune(before[y]), []rune(now[y])
				const cut = 14 // a step that is leaving may move its words
				testkit.Need(t, string(a[by+cut:]), string(b[cut:len(b)-int(by)]), scene, by, "columns on, row", y)
			}
		}
		testkit.That(t, moved != 0, "%s: nothing moved", scene)
	}
}

// TestWidthIsDuration checks that the columns of a step match its duration.
func TestWidthIsDuration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := track{r: draw.Rect{X: 3, W: 1000, H: 1}, column: chart.Round.At(rapid.IntRange(-21, 6).Draw(t, "scale"))}
		at, sum := 0.0, int64(0)
		var end int64
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			d := rapid.Float64Range(1, 40).Draw(t, "columns") * tr.column
			x0, x1, w := tr.span(at, at+d)
			if diff := float64(w) - d/tr.column; diff < -1-1e-6 || diff > 1+1e-6 {
				t.Fatalf("%g columns are drawn as %d", d/tr.column, w)
			}
			if end = tr.col(at + d); x1 <= x0 && x0 < tr.r.Right() && tr.r.X <= x0 {
				t.Fatalf("a step in view has no column: %d to %d", x0, x1)
			}
			at += d
			sum += w
		}
		testkit.Need(t, sum, end, "steps without a pause between them take … columns")
	})
}

// TestStepAtIsWhatIsDrawn checks that a click on a step selects that step,
// also after the cursor has moved the picture into the past.
func TestStepAtIsWhatIsDrawn(t *testing.T) {
	for _, scene := range []string{"slow", "chunk", "pools", "past"} {
		v := sceneOf(scene)
		s, g := &picture{}, draw.New(199, 48)
		s.Draw(g, g.Bounds(), v)
		seen := 0
		for _, st := range v.Explain.Steps {
			x0, x1, _ := s.timeline.time.span(st.Start, st.End)
			if x0 >= s.timeline.time.r.Right() || x1 <= s.timeline.time.r.X || x1-x0 < 2 {
				continue
			}
			y := s.timeline.time.r.Bottom() - 1
			if st.Pool == "prefill" {
				y = s.timeline.time.r.Y
			}
			n, ok := s.timeline.StepAt(x1-1, y)
			if n == 0 {
				n = v.Explain.Steps[len(v.Explain.Steps)-1].Number
			}
			testkit.That(t, ok && n == st.Number, "%s: column %d is step %d, not %d", scene, x1-1, n, st.Number)
			seen++
		}
		testkit.That(t, seen >= 4, "%s: only %d steps are in view", scene, seen)
	}
}

// TestCursorStaysInView checks that the step at the cursor is always drawn.
func TestCursorStaysInView(t *testing.T) {
	for _, size := range [][2]int{{79, 22}, {119, 38}, {199, 48}} {
		v := &View{Explain: momentOf("preempt")}
		s, g := &picture{}, draw.New(size[0], size[1])
		for range v.Explain.Steps {
			s.Draw(g, g.Bounds(), v)
			st := v.step()
			if x0, x1, _ := s.timeline.time.span(st.Start, st.End); x1 <= s.timeline.time.r.X ||
				x0 >= s.timeline.time.r.Right() {
				t.Fatalf("%v: step %d lies outside of the picture", size, st.Number)
			}
			s.Move(v, -1)
		}
		testkit.Is(t, v.Cursor, v.Explain.Steps[0].Number, "the cursor ends on step")
		s.Move(v, len(v.Explain.Steps))
		testkit.Is(t, v.Cursor, 0, "at the newest step the cursor is, and does not follow")
	}
}

// TestScaleIsKept checks that slightly different steps keep the scale, and
// that another speed of time changes it.
func TestScaleIsKept(t *testing.T) {
	v := sceneOf("decode")
	s, g := &picture{}, draw.New(119, 38)
	s.Draw(g, g.Bounds(), v)
	was := s.timeline.zoom.column
	for i := range 20 {
		steps := append([]serving.EngineStep(nil), v.Explain.Steps...)
		at := steps[0].Start
		for j := range steps {
			d := 0.0067 * (1 + 0.4*math.Sin(float64(i+j)))
			steps[j].Start, steps[j].End = at, at+d
			at += d
		}
		v.Explain.Steps, v.Explain.Clock = steps, at
		v.Explain.Now += screen.FiguresEvery
		s.Draw(g, g.Bounds(), v)
		testkit.Need(t, s.timeline.zoom.column, was, "the scale went from … to … s")
	}
	v.Explain.Knobs.Time = 0.01
	s.Draw(g, g.Bounds(), v)
	testkit.That(t, s.timeline.zoom.column < was,
		"in slower motion a column is %g s, before %g", s.timeline.zoom.column, was)
	for by, slow := 1, s.timeline.zoom.column; by < 4; by++ {
		v.Zoom = by
		s.Draw(g, g.Bounds(), v)
		testkit.That(t, s.timeline.zoom.column < slow,
			"%d closer, a column is %g s, before %g", by, s.timeline.zoom.column, slow)
		slow = s.timeline.zoom.column
	}
}

// TestOneClock checks that the panel of the client says at every speed of time what the
// engine's clock says, as all figures of the screen, and that a pause is no gap.
func TestOneClock(t *testing.T) {
	slowest := 1.0
	for _, name := range []string{"decode", "chunk", "many"} {
		v := sceneOf(name)
		v.Panel, v.Max = Client, true
		slowest = min(slowest, v.Explain.Knobs.Time)
		w := &v.Explain.Watched
		n := len(w.True) - 1
		for _, pause := range []metrics.Stamp{0, 1e9} { // before the last chunk
			w.Stream.Chunks[n].At += pause
			w.True[n] += pause
			_, g := drawn(v, [2]int{120, 40})
			at := func(i int) float64 { return v.Explain.Steps[w.Steps[i]-v.Explain.Steps[0].Number].End }
			for row, truth := range map[string]float64{"TTFT": w.EngineTTFT.V, "gap": 1e3 * (at(n) - at(n-1))} {
				text := regexp.MustCompile(`│ +` + row + ` +(\S+) ms +(\S+) ms`).FindStringSubmatch(g.Plain())
				if text == nil {
					t.Fatalf("%s: no row %s:\n%s", name, row, g.Plain())
				}
				for _, number := range text[1:] {
					if ms, err := strconv.ParseFloat(number, 64); err != nil || math.Abs(ms-truth) > 0.3+0.01*truth {
						t.Errorf("%s at %gx, pause %d: %q, by the engine's clock %g ms", name, v.Explain.Knobs.Time, pause, text[0],
							truth)
					}
				}
			}
		}
	}
	testkit.That(t, slowest <= 0.1, "nothing is slower than %gx", slowest)
}

// TestTheStepUnderWayIsLookedAt checks that with time stopped within a step the panels
// show that step, that one step back is the one that ended before it, and that the way
// forth leads to it again.
func TestTheStepUnderWayIsLookedAt(t *testing.T) {
	v := sceneOf("chunk")
	steps := v.Explain.Steps
	under := steps[len(steps)-1]
	v.Explain.Steps = steps[:len(steps)-1]
	v.Explain.Doing, v.Explain.Clock, v.Explain.Paused = &under, (under.Start+under.End)/2, true
	s, g := drawn(v, [2]int{120, 40})
	for _, c := range []struct {
		by    int
		title string
	}{{0, "step %d ─ under way"}, {-1, "step %d ─ 1 step back"}, {-1, "step %d ─ 2 steps back"},
		{1, "step %d ─ 1 step back"}, {1, "step %d ─ under way"}, {1, "step %d ─ under way"}} {
		s.Move(v, c.by)
		s.Draw(g, g.Bounds(), v)
		if title := fmt.Sprintf(c.title, v.step().Number); !strings.Contains(g.Plain(), title) {
			t.Fatalf("no %q:\n%s", title, g.Plain())
		}
	}
	v.Explain.Paused = false
	if s.Draw(g, g.Bounds(), v); under.End-under.Start < seenFrom && !strings.Contains(g.Plain(), "the newest") {
		t.Errorf("a short step flickers by:\n%s", g.Plain())
	}
}

// TestTheCursorsLabelStandsAlone checks at every step that neither the words of a
// change nor the number of the step are written over each other.
func TestTheCursorsLabelStandsAlone(t *testing.T) {
	v := sceneOf("decode")
	steps := v.Explain.Steps
	to := v.Explain.Knobs
	to.Model, to.Users = "llama-3.3-70b", 64
	for back := 1; back < 14; back++ {
		for at := 1; at < 14; at++ {
			m := &steps[len(steps)-at]
			v.Explain.Marks = []serving.EngineMark{{Step: m.Number, At: m.Start, From: v.Explain.Knobs, To: to}}
			v.Cursor = steps[len(steps)-1-back].Number
			s, g := drawn(v, [2]int{120, 40})
			label, _ := s.timeline.cursorLabel(&s.canvas, &s.timeline.time)
			y := s.timeline.time.r.Y - 1
			row := []rune(strings.Split(g.Plain(), "\n")[y])
			want := fmt.Sprintf(" step %d ", v.Cursor)
			if got := string(row[label.X : label.X+label.W]); got != want {
				t.Fatalf("%d steps back, a change %d steps back: %q, want %q in\n%s", back, at, got, want, string(row))
			}
			rest := string(row[:label.X]) + "|" + string(row[label.X+label.W:])
			if words := turnWords(v.Explain.Marks[0]); strings.Contains(rest, words[len(words)-4:]) &&
				!strings.Contains(rest, words) {
				t.Errorf("%d steps back, a change %d steps back: it lost its beginning: %s", back, at, string(row))
			}
		}
	}
}
