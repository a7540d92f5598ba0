package explain

import (
	"strings"
	"testing"

	"tokscope/metrics/serving"
	"tokscope/ui/say"
	"tokscope/ui/uitest"
)

// TestEveryKnobCanBeClicked checks that each knob has a click target, and
// that a glyph also marks the selected one.
func TestEveryKnobCanBeClicked(t *testing.T) {
	for _, size := range sizes {
		for k := range serving.NumKnobs {
			v := sceneOf("chunk")
			v.Knob, v.Explain.Knobs.DraftK = k, 3
			_, g := drawn(v, size)
			found := map[serving.Knob]bool{}
			for what, r := range uitest.Targets(g) {
				if got, ok := what.(onKnob); ok {
					found[serving.Knob(got)] = true
					mark, _ := g.At(r.X, r.Bottom()-1)
					if (mark == "▸") != (serving.Knob(got) == k) {
						t.Errorf("%v: %s is selected, before %s stands %q", size, say.Knob(k), say.Knob(serving.Knob(got)), mark)
					}
				}
			}
			if !found[k] {
				t.Errorf("%v: %s is selected and not in view", size, say.Knob(k))
			}
			want := serving.Options
			if k >= serving.Options {
				want = serving.NumKnobs
			}
			if len(found) != int(want) && size[0] >= 100 {
				t.Errorf("%v: %d knobs are in view", size, len(found))
			}
		}
	}
}

// TestNoKnobIsCut checks that every knob shown in a narrow row is whole, and
// that the selected one is among them.
func TestNoKnobIsCut(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 8
	}
	for w := 60; w < 100; w += step {
		size := [2]int{w, 24}
		for k := range serving.NumKnobs {
			for _, mode := range []string{"continuous", "prefill-first", "disaggregated"} {
				v := sceneOf("phases")
				v.Knob, v.Explain.Knobs.Mode, v.Explain.Knobs.DraftK = k, mode, 3
				_, g := drawn(v, size)
				for what, r := range uitest.Targets(g) {
					knob, ok := what.(onKnob)
					if !ok || r.H > 1 {
						continue
					}
					got, want := "", say.KnobPosition(serving.Knob(knob), &v.Explain.Knobs)
					for x := r.X; x < r.Right(); x++ {
						text, _ := g.At(x, r.Y)
						got += text
					}
					if !strings.HasSuffix(strings.TrimSpace(got), want) {
						t.Errorf("%v, %s selected: %q, want %q", size, say.Knob(k), got, want)
					}
				}
			}
		}
	}
}
