package explain

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/serving"
)

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
						t.Errorf("%s at %gx, pause %d: %q, by the engine's clock %g ms", name, v.Explain.Knobs.Time, pause, text[0], truth)
					}
				}
			}
		}
	}
	if slowest > 0.1 {
		t.Errorf("nothing is slower than %gx", slowest)
	}
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
			if words := turnWords(v.Explain.Marks[0]); strings.Contains(rest, words[len(words)-4:]) && !strings.Contains(rest, words) {
				t.Errorf("%d steps back, a change %d steps back: it lost its beginning: %s", back, at, string(row))
			}
		}
	}
}
