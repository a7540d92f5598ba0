package explain

import (
	"fmt"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/ui/uitest"
)

// TestOneClock checks that the panel of the client says the same at every speed of time:
// what a client measured stands in the engine's time, as all figures of the screen. The
// delay to the client takes as long on the wall at every speed.
func TestOneClock(t *testing.T) {
	for _, time := range []float64{1, 0.5, 0.2, 0.01} {
		v := &View{Explain: uitest.Decoding(func(k *serving.Knobs) { k.Time = time }), Table: someKeys, Panel: Client}
		w := &v.Explain.Watched
		n := len(w.True) - 1
		end, _ := made(&v.Explain, w, n)
		before, _ := gap(&v.Explain, w, n, false)
		_, g := drawn(v, [2]int{160, 45})
		row := func(name string) string {
			for line := range strings.SplitSeq(g.Plain(), "\n") {
				if _, text, ok := strings.Cut(line, "│ "+name+" "); ok {
					return strings.Join(strings.Fields(text), " ")
				}
			}
			return "no row " + name
		}
		ttft := metrics.Known(w.EngineTTFT.V, 1)
		for name, truth := range map[string]float64{"TTFT": ttft.V, "gap": before} {
			if want := fmt.Sprintf("%.3g ms", truth); strings.Count(row(name), strings.TrimRight(want, "0")) < 1 {
				t.Errorf("at %gx %s is %q, want %s of engine time", time, name, row(name), want)
			}
		}
		// A pause before the last chunk: it came a second later, and so did what is true.
		for i := n; i < len(w.Stream.Chunks); i++ {
			w.Stream.Chunks[i].At += 1e9
		}
		for i := n; i < len(w.True); i++ {
			w.True[i] += 1e9
		}
		if got, ok := gap(&v.Explain, w, n, true); !ok || got > 1.1*before {
			t.Errorf("at %gx a pause of the engine is a gap of %g ms, without it %g (made at %g s)", time, got, before, end)
		}
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
			label := s.timeline.cursorLabel(&s.canvas, &s.timeline.time)
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
