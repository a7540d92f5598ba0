package explain

import (
	"strings"
	"testing"

	"tokscope/metrics"
)

// TestEveryKnobCanBeClicked: each knob has its place, and the selected one is
// marked by a glyph too.
func TestEveryKnobCanBeClicked(t *testing.T) {
	for _, size := range sizes {
		for k := range metrics.NumKnobs {
			v := sceneOf("chunk")
			v.Knob, v.Explain.Knobs.DraftK = k, 3
			s, g := drawn(v, size)
			found := map[metrics.Knob]bool{}
			for _, h := range s.hits {
				if got, ok := s.KnobAt(h.r.X, h.r.Y); ok && h.id == "knob" {
					found[got] = true
					mark, _ := g.At(h.r.X, h.r.Bottom()-1)
					if (mark == "▸") != (got == k) {
						t.Errorf("%v: %s is selected, before %s stands %q", size, k, got, mark)
					}
				}
			}
			if !found[k] {
				t.Errorf("%v: %s is selected and not in view", size, k)
			}
			if len(found) != int(metrics.NumKnobs) && size[0] >= 100 {
				t.Errorf("%v: %d knobs are in view", size, len(found))
			}
		}
	}
}

// TestNoKnobIsCut: where not all knobs have room in their row, each that is there
// is there as a whole, and so is the selected one.
func TestNoKnobIsCut(t *testing.T) {
	for w := 60; w < 100; w++ {
		size := [2]int{w, 24}
		for k := range metrics.NumKnobs {
			for _, mode := range []string{"continuous", "prefill-first", "disaggregated"} {
				v := sceneOf("phases")
				v.Knob, v.Explain.Knobs.Mode, v.Explain.Knobs.DraftK = k, mode, 3
				s, g := drawn(v, size)
				for _, h := range s.hits {
					if h.id != "knob" || h.r.H > 1 {
						continue
					}
					got, want := "", KnobValue(&v.Explain.Knobs, metrics.Knob(h.n))
					for x := h.r.X; x < h.r.Right(); x++ {
						text, _ := g.At(x, h.r.Y)
						got += text
					}
					if !strings.HasSuffix(strings.TrimSpace(got), want) {
						t.Errorf("%v, %s selected: %q, want %q", size, k, got, want)
					}
				}
			}
		}
	}
}
