package explain

import (
	"strings"
	"testing"
)

// TestAMissedStageIsTold: the lesson says why it will have no verdict, at every
// size, and says nothing of it once there is one.
func TestAMissedStageIsTold(t *testing.T) {
	for _, size := range sizes {
		v := sceneOf("seesaw")
		tour := &v.Explain.Tour
		tour.Verdict, tour.Missed, tour.Progress = "", 2, 0.3
		_, g := drawn(v, size)
		if text := g.Plain(); !strings.Contains(text, "no verdict: 2 stages were left") || !strings.Contains(text, "measuring") {
			t.Errorf("%v:\n%s", size, text)
		}
		tour.Verdict = "It holds."
		_, g = drawn(v, size)
		if text := g.Plain(); strings.Contains(text, "no verdict") {
			t.Errorf("%v, with a verdict:\n%s", size, text)
		}
	}
}

// TestWhatBindsIsWhole: where there is no room for the sentence two words say it.
func TestWhatBindsIsWhole(t *testing.T) {
	for w := 72; w <= 130; w++ {
		for _, h := range []int{24, 30, 40} {
			for _, scene := range []string{"decode", "seesaw"} {
				v := sceneOf(scene)
				v.Panel = Step
				_, g := drawn(v, [2]int{w, h})
				for line := range strings.Lines(g.Plain()) {
					if _, rest, ok := strings.Cut(line, "bandwidth binds"); ok && strings.HasPrefix(rest, ":") && !strings.HasPrefix(rest, ": it waits for bytes") {
						t.Errorf("%dx%d, %s: %s", w, h, scene, line)
					}
				}
			}
		}
	}
}
