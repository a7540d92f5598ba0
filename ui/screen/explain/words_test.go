package explain

import (
	"strings"
	"testing"

	"tokscope/ui/draw"
	"tokscope/ui/say"
)

// TestAMissedStageIsTold checks that the lesson says why it has no verdict,
// at every size, and not once it has one.
func TestAMissedStageIsTold(t *testing.T) {
	for _, size := range sizes {
		v := sceneOf("seesaw")
		tour := &v.Explain.Tour
		tour.Verdict, tour.Missed, tour.Progress = "", 2, 0.3
		_, g := drawn(v, size)
		if text := g.Plain(); !strings.Contains(text, "no verdict: 2 stages were not") || !strings.Contains(text, "measuring") {
			t.Errorf("%v:\n%s", size, text)
		}
		tour.Verdict = "It holds."
		_, g = drawn(v, size)
		if text := g.Plain(); strings.Contains(text, "no verdict") {
			t.Errorf("%v, with a verdict:\n%s", size, text)
		}
	}
}

// TestASlowedClockIsTold checks that every size says how fast the clock runs
// when this machine cannot keep up, why where there is room, and beside a
// lesson that its figures still count. At the speed of the knob nothing of it
// is on the screen.
func TestASlowedClockIsTold(t *testing.T) {
	for _, size := range append(sizes, [2]int{40, 12}) {
		v := slowedScene()
		for _, still := range []bool{false, true} {
			v.Explain.Overloaded = still
			_, g := drawn(v, size)
			text := strings.Join(strings.Fields(strings.NewReplacer("│", " ").Replace(g.Plain())), " ")
			want := []string{"▲ slowed to 0.035x"}
			if size[0] >= 80 {
				want = append(want, "; figures are in")
			}
			if size[0] >= 120 {
				want = append(want, map[bool]string{false: ": this machine cannot keep up", true: ", and this machine still cannot keep up"}[still])
			}
			for _, w := range want {
				if !strings.Contains(text, w) {
					t.Errorf("%v, still overloaded %v: no %q in\n%s", size, still, w, g.Plain())
				}
			}
			if strings.Contains(g.Plain(), "slow motion") {
				t.Errorf("%v: two speeds:\n%s", size, g.Plain())
			}
		}
		v.Explain.Speed = v.Explain.Knobs.Time
		if _, g := drawn(v, size); strings.Contains(g.Plain(), "slowed to") {
			t.Errorf("%v: slowed at the speed of the knob:\n%s", size, g.Plain())
		}
	}
}

// TestWhatBindsIsWhole checks that one word replaces a sentence that does not
// fit.
func TestWhatBindsIsWhole(t *testing.T) {
	for w := 72; w <= 130; w++ {
		for _, h := range []int{24, 30, 40} {
			for _, scene := range []string{"decode", "seesaw"} {
				v := sceneOf(scene)
				v.Panel = Step
				_, g := drawn(v, [2]int{w, h})
				for line := range strings.Lines(g.Plain()) {
					if _, rest, ok := strings.Cut(line, "bandwidth-bound"); ok && strings.HasPrefix(rest, ":") && !strings.HasPrefix(rest, ": waits for memory") {
						t.Errorf("%dx%d, %s: %s", w, h, scene, line)
					}
				}
			}
		}
	}
}

// TestWhyItStopped checks that every size says why the engine ended, and with
// enough room to the end.
func TestWhyItStopped(t *testing.T) {
	v := sceneOf("broken")
	for _, size := range append(sizes, [2]int{40, 12}) {
		_, g := drawn(v, size)
		text := strings.Join(strings.Fields(g.Plain()), " ")
		want := say.Ending(v.Explain.Broken)
		if size[0] == 80 {
			want = "the embedded endpoint's port is taken by another program: leave and open"
		}
		if !strings.Contains(text, want) {
			t.Errorf("%v: no %q in\n%s", size, want, g.Plain())
		}
	}
}

// TestNoLessonIsCut checks that a lesson's panel shows whole sentences: what
// has no room is left to the panel of its text.
func TestNoLessonIsCut(t *testing.T) {
	for _, scene := range []string{"phases", "seesaw", "goodput", "uses", "slowed"} {
		for w := 72; w <= 220; w += 7 {
			for _, h := range []int{20, 24, 30, 40, 50, 80} {
				v := slowedScene()
				if scene != "slowed" {
					v = sceneOf(scene)
				}
				s, g := newPicture(), draw.New(w-1, h-2)
				s.Draw(g, g.Bounds(), v)
				at := s.layout(g.Bounds(), v).tour
				for y, row := range strings.Split(g.Plain(), "\n") {
					if cells := []rune(row); y > at.Y && y < at.Bottom() && len(cells) > at.X && strings.Contains(string(cells[at.X:]), "…") {
						t.Errorf("%s, %dx%d: %s", scene, w, h, string(cells[at.X:]))
					}
				}
			}
		}
	}
}
